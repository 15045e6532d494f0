//! Local references.

use std::borrow::Cow;

use serde_json::Value;

/// What the fragment of a local `$ref` points at: `None` when nothing is there.
pub(crate) fn resolve<'a>(document: &'a Value, reference: &str) -> Option<&'a Value> {
    document.pointer(&pointer_of(reference)?)
}

/// The JSON pointer inside a local reference; `None` when the reference is not a local pointer.
pub(crate) fn pointer_of(reference: &str) -> Option<Cow<'_, str>> {
    let fragment = reference.strip_prefix('#')?;
    if !fragment.is_empty() && !fragment.starts_with('/') {
        return None;
    }
    percent_decode(fragment)
}

/// A local reference as a URI fragment: what a URI may not hold is percent-encoded, so that the validator
/// takes every reference that [`resolve`] follows. Text that is no local reference stays as it is.
pub(crate) fn encoded(reference: &str) -> Cow<'_, str> {
    let Some(pointer) = pointer_of(reference) else { return Cow::Borrowed(reference) };
    let mut uri = String::with_capacity(reference.len());
    uri.push('#');
    for byte in pointer.bytes() {
        // The characters of a fragment (RFC 3986, section 3.5).
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    Cow::Owned(uri)
}

fn percent_decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push((high << 4 | low) as u8);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_becomes_a_uri_that_says_the_same() {
        assert_eq!(encoded("#/$defs/a~1b"), "#/$defs/a~1b");
        assert_eq!(encoded("#/$defs/日"), "#/$defs/%E6%97%A5");
        assert_eq!(encoded("#/$defs/a%20b#%25"), "#/$defs/a%20b%23%25");
        assert_eq!(encoded("#name"), "#name");
    }

    #[test]
    fn only_local_pointers_are_references() {
        assert_eq!(pointer_of("#").as_deref(), Some(""));
        assert_eq!(pointer_of("#/$defs/a%20b~1c").as_deref(), Some("/$defs/a b~1c"));
        assert_eq!(pointer_of("#name"), None);
        assert_eq!(pointer_of("other.json#/a"), None);
        assert_eq!(pointer_of(""), None);
        assert_eq!(pointer_of("#/%zz"), None);
        assert_eq!(pointer_of("#/%ff"), None);
    }
}
