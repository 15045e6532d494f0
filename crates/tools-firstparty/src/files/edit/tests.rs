//! What is text that can be edited.

use super::*;

#[test]
fn what_is_not_text_is_refused_with_its_first_bad_byte() {
    let cases: [(&[u8], NotText); 7] = [
        (b"ab\0c", NotText::Nul { offset: 2 }),
        (b"ab\0c\xFF", NotText::Nul { offset: 2 }),
        (b"ab\xFF\0", NotText::Utf8 { offset: 2 }),
        (b"ab\xE2\x82", NotText::Utf8 { offset: 2 }),
        (b"\xEF\xBB\xBFa\xFF", NotText::Utf8 { offset: 4 }),
        (b"\xFF\xFEa\0", NotText::Utf16),
        (b"\xFE\xFF\0a", NotText::Utf16),
    ];
    for (content, expected) in cases {
        assert_eq!(text(content.to_vec()), Err(expected));
    }
    let far = [vec![b'a'; 300_000], vec![0]].concat();
    assert_eq!(text(far), Err(NotText::Nul { offset: 300_000 }));
}

#[test]
fn a_mark_at_the_start_belongs_to_the_text() {
    assert_eq!(text(b"\xEF\xBB\xBFa".to_vec()).as_deref(), Ok("\u{FEFF}a"));
}
