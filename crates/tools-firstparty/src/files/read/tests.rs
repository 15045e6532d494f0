//! The body of `read`, on real files and on a file system made to misbehave.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use tempfile::TempDir;

use super::*;
use crate::seam::error::{FileKind, FsError};
use crate::seam::fs::{Disk, FileVersion, OpenFile};

fn args(file_path: &str, offset: Option<u64>, limit: Option<u64>) -> ReadArgs {
    ReadArgs { file_path: file_path.to_owned(), offset, limit }
}

fn read_with(tool: &Read, root: &Path, args: ReadArgs) -> Result<ReadValue, ReadError> {
    let workspace_root = root.to_owned();
    let job = Job { tool: tool.clone(), workspace_root, args, observations: None };
    job.read(&|| false)
}

fn tool(caps: ReadCaps) -> Read {
    Read::new(Arc::new(Disk), caps).expect("valid caps")
}

/// A folder with one file `f`.
fn with_file(content: impl AsRef<[u8]>) -> TempDir {
    let dir = tempfile::tempdir().expect("temp dir");
    fs::write(dir.path().join("f"), content).expect("write");
    dir
}

fn read_bytes(content: impl AsRef<[u8]>) -> Result<ReadValue, ReadError> {
    let dir = with_file(content);
    read_with(&tool(ReadCaps::default()), dir.path(), args("f", None, None))
}

fn texts(value: &ReadValue) -> Vec<&str> {
    value.lines.iter().map(|line| line.text.as_str()).collect()
}

fn fault(result: Result<ReadValue, ReadError>) -> (&'static str, String) {
    let error = result.expect_err("no page");
    (error.fault.code(), error.to_string())
}

#[test]
fn a_small_file_is_one_page() {
    let value = read_bytes("one\r\ntwo\n").expect("page");
    assert_eq!((texts(&value), value.total_lines), (vec!["one", "two"], 2));
    assert_eq!((value.path.as_str(), value.offset, value.lines[1].number), ("f", 1, 2));
}

#[test]
fn an_empty_file_has_no_lines() {
    let value = read_bytes("").expect("page");
    assert_eq!((value.lines.len(), value.total_lines), (0, 0));
}

#[test]
fn byte_order_marks_are_dropped_and_utf_16_is_decoded() {
    assert_eq!(texts(&read_bytes("\u{FEFF}é\n").expect("page")), ["é"]);
    let utf16 = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{FEFF}é\r\n😀".encode_utf16().flat_map(unit).collect()
    };
    assert_eq!(texts(&read_bytes(utf16(u16::to_le_bytes)).expect("page")), ["é", "😀"]);
    assert_eq!(texts(&read_bytes(utf16(u16::to_be_bytes)).expect("page")), ["é", "😀"]);
}

#[test]
fn what_is_not_text_is_refused_with_its_place() {
    let big = [vec![b'a'; 300_000], vec![0xFF], vec![b'a'; 10]].concat();
    let cases: [(&[u8], &str); 7] = [
        (b"ab\0c", "byte 2 is NUL"),
        (b"ab\xFFc", "byte 2 is not valid UTF-8"),
        (b"\xEF\xBB\xBFa\xFF", "byte 4 is not valid UTF-8"),
        (b"ab\xE2\x82", "byte 2 is not valid UTF-8"),
        (b"\xFF\xFEa\0b", "byte 4 is not valid UTF-16"),
        (b"\xFF\xFE\0\0a\0\0\0", "byte 2 is NUL"),
        (&big, "byte 300000 is not valid UTF-8"),
    ];
    for (content, expected) in cases {
        let (code, message) = fault(read_bytes(content));
        assert_eq!(code, "FS_NOT_TEXT");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_nul_beyond_the_probe_is_data() {
    let content = [vec![b'a'; 8_192], b"\0b".to_vec()].concat();
    assert_eq!(read_bytes(content).expect("page").total_lines, 1);
}

#[test]
fn an_offset_past_the_end_names_the_total() {
    let dir = with_file("a\nb\n");
    let read = |offset| {
        read_with(&tool(ReadCaps::default()), dir.path(), args("f", Some(offset), Some(1)))
    };
    assert_eq!(texts(&read(2).expect("page")), ["b"]);
    let (code, message) = fault(read(3));
    assert_eq!(
        (code, message.as_str()),
        ("FS_NOT_FOUND", "f: there is no line 3, the file has 2 lines")
    );
}

#[test]
fn arguments_out_of_range_are_refused() {
    let dir = with_file("a");
    let tool = tool(ReadCaps { page_max_lines: 5, ..ReadCaps::default() });
    for bad in [
        args(" ", None, None),
        args("f", Some(0), None),
        args("f", None, Some(0)),
        args("f", None, Some(6)),
    ] {
        let (code, message) = fault(read_with(&tool, dir.path(), bad));
        assert_eq!(code, "FS_INVALID_ARGUMENT", "{message}");
    }
}

#[test]
fn system_errors_have_codes() {
    let dir = with_file("a");
    fs::create_dir(dir.path().join("d")).expect("folder");
    let tool = tool(ReadCaps::default());
    for (path, code) in [
        ("none", "FS_NOT_FOUND"),
        ("f/below", "FS_NOT_FOUND"),
        ("nul\0", "FS_NOT_FOUND"),
        ("d", "FS_NOT_REGULAR_FILE"),
        ("/dev/null", "FS_NOT_REGULAR_FILE"),
    ] {
        assert_eq!(fault(read_with(&tool, dir.path(), args(path, None, None))).0, code, "{path}");
    }
}

#[test]
fn the_default_limit_is_the_cap() {
    let dir = with_file("1\n2\n3\n");
    let tool = tool(ReadCaps { page_max_lines: 2, ..ReadCaps::default() });
    let value = read_with(&tool, dir.path(), args("f", None, None)).expect("page");
    assert_eq!((texts(&value), value.total_lines), (vec!["1", "2"], 3));
}

#[test]
fn cancelling_ends_the_read() {
    let dir = with_file("a");
    let job = Job {
        tool: tool(ReadCaps::default()),
        workspace_root: dir.path().to_owned(),
        args: args("f", None, None),
        observations: None,
    };
    assert_eq!(fault(job.read(&|| true)).0, "ABORTED");
}

/// A file served from memory, with a log of what was read.
#[derive(Debug, Clone)]
struct Served {
    content: Arc<Vec<u8>>,
    size_shown: u64,
    bytes_a_read: usize,
    fails_at: Option<u64>,
    reads: Arc<Mutex<u64>>,
}

impl FileSystem for Served {
    fn open(&self, _: &Path) -> Result<Box<dyn OpenFile>, FsError> {
        Ok(Box::new(self.clone()))
    }

    fn canonicalize(&self, path: &Path) -> Result<PathBuf, FsError> {
        Ok(path.to_owned())
    }
}

impl OpenFile for Served {
    fn version(&self) -> Result<FileVersion, FsError> {
        Ok(FileVersion {
            device: 1,
            inode: 1,
            size: self.size_shown,
            modified_ns: 0,
            changed_ns: 0,
            is_settled: true,
        })
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FsError> {
        if self.fails_at.is_some_and(|at| offset >= at) {
            return Err(FsError::Io("Input/output error".to_owned()));
        }
        let start = usize::try_from(offset).expect("small").min(self.content.len());
        let end = self.content.len().min(start + buffer.len().min(self.bytes_a_read));
        let part = &self.content[start..end];
        buffer[..part.len()].copy_from_slice(part);
        *self.reads.lock().expect("not poisoned") += part.len() as u64;
        Ok(part.len())
    }
}

fn served(content: Vec<u8>) -> Served {
    Served {
        size_shown: content.len() as u64,
        content: Arc::new(content),
        bytes_a_read: usize::MAX,
        fails_at: None,
        reads: Arc::default(),
    }
}

#[test]
fn a_file_of_unknown_size_and_short_reads_is_read_to_its_end() {
    let fs = Served { size_shown: 0, bytes_a_read: 3, ..served(b"a\nbcdefg\nh".to_vec()) };
    let tool = Read::new(Arc::new(fs), ReadCaps::default()).expect("valid caps");
    let value = read_with(&tool, Path::new("/w"), args("f", None, None)).expect("page");
    assert_eq!(texts(&value), ["a", "bcdefg", "h"]);
}

#[test]
fn a_failing_disk_is_an_io_error() {
    let fs = Served { fails_at: Some(4), ..served(b"abcdef".to_vec()) };
    let tool = Read::new(Arc::new(Served { bytes_a_read: 4, ..fs }), ReadCaps::default());
    let result = read_with(&tool.expect("valid caps"), Path::new("/w"), args("f", None, None));
    assert_eq!(fault(result), ("FS_IO_ERROR", "f: Input/output error".to_owned()));
}

#[test]
fn a_later_page_of_a_large_file_does_not_read_it_all_again() {
    let content: String = (1..=400_000).map(|line| format!("line {line}\n")).collect();
    let size = content.len() as u64;
    let fs = served(content.into_bytes());
    let reads = Arc::clone(&fs.reads);
    let tool = Read::new(Arc::new(fs), ReadCaps::default()).expect("valid caps");
    let page = |offset| {
        *reads.lock().expect("not poisoned") = 0;
        let value = read_with(&tool, Path::new("/w"), args("f", Some(offset), Some(2)));
        (value.expect("page"), *reads.lock().expect("not poisoned"))
    };
    let (first, whole) = page(1);
    assert!(whole >= size && first.total_lines == 400_000);
    for offset in [2, 100_000, 399_999, 400_000] {
        let (value, read) = page(offset);
        assert_eq!(value.lines[0].text, format!("line {offset}"));
        assert_eq!((value.lines[0].number, value.total_lines), (offset, 400_000));
        assert!(read < 1_200_000, "{read} of {size} bytes for line {offset}");
    }
}

#[test]
fn the_index_is_right_for_utf_16_too() {
    let content: String = (1..=200_000).map(|line| format!("ligne {line} é\n")).collect();
    let bytes = format!("\u{FEFF}{content}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let tool = Read::new(Arc::new(served(bytes)), ReadCaps::default()).expect("valid caps");
    for offset in [1, 150_000, 3] {
        let value = read_with(&tool, Path::new("/w"), args("f", Some(offset), Some(1)));
        assert_eq!(texts(&value.expect("page")), [format!("ligne {offset} é")]);
    }
}

fn rendered(caps: &ReadCaps, args: &ReadArgs, value: &ReadValue) -> String {
    envelope(caps, args, value)
}

#[test]
fn the_footer_says_how_to_go_on() {
    let caps = ReadCaps { page_max_lines: 2, page_max_bytes: 64, ..ReadCaps::default() };
    let dir = with_file(format!("1\n2\n3\n{}\n{}\n", "x".repeat(50), "y".repeat(50)));
    let tool = tool(caps.clone());
    let footer_at = |offset| {
        let args = args("f", Some(offset), None);
        let value = read_with(&tool, dir.path(), args.clone()).expect("page");
        let text = rendered(&caps, &args, &value);
        text.lines().rev().nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(footer_at(1), "(Lines 1-2 of 5. Go on with offset=3.)");
    assert_eq!(footer_at(4), "(Lines 4-4 of 5; a page holds 64 bytes. Go on with offset=5.)");
    assert_eq!(footer_at(5), "(End of file: 5 lines.)");
}

#[test]
fn metadata_keeps_under_its_cap() {
    let line = |number| ReadLine { number, text: "\u{1}".repeat(90) };
    let value = ReadValue {
        path: "a.rs".to_owned(),
        offset: 1,
        lines: (1..=200).map(line).collect(),
        total_lines: 200,
    };
    let caps = ReadCaps::default();
    let meta = ReadMeta::of(&caps, &value);
    assert!(meta.truncated && json_bytes(&meta) <= caps.meta_max_bytes);
    assert!(json_bytes(&meta) > caps.meta_max_bytes - 700);
    let small = ReadValue { lines: vec![line(1)], ..value };
    let meta = ReadMeta::of(&caps, &small);
    assert_eq!((meta.truncated, meta.lang), (false, Some("rust")));
}

#[test]
fn refusals_say_what_to_do() {
    let error = ReadError {
        path: "d".to_owned(),
        fault: FsError::NotRegularFile(FileKind::Directory).into(),
    };
    assert_eq!(error.to_string(), "d: a folder, not a regular file; list what is in it with glob");
}
