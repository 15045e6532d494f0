//! Reading lines, and telling a torn end from damage.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Take};
use std::path::PathBuf;

use rustix::fs::OFlags;

use super::FILE;
use crate::error::SessionError;
use crate::journal::{Lines, Recovery};
use crate::store::Dir;

const BUFFER_BYTES: usize = 64 * 1024;
const PREVIEW_CHARS: usize = 200;

/// The lines of a file, up to a length.
pub(crate) struct FileLines {
    reader: BufReader<Take<File>>,
    path: PathBuf,
    whole: u64,
    torn: Option<Recovery>,
}

/// The lines of the log in `dir`.
pub(crate) fn lines(dir: &Dir) -> Result<FileLines, SessionError> {
    lines_up_to(dir, u64::MAX)
}

/// The lines of the first `bytes` bytes of the log in `dir`.
pub(super) fn lines_up_to(dir: &Dir, bytes: u64) -> Result<FileLines, SessionError> {
    let path = dir.path().join(FILE);
    let file = dir.file(FILE, OFlags::RDONLY).map_err(SessionError::io("open", &path))?;
    let reader = BufReader::with_capacity(BUFFER_BYTES, file.take(bytes));
    Ok(FileLines { reader, path, whole: 0, torn: None })
}

impl FileLines {
    fn read_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        if self.reader.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let ended = line.last() == Some(&b'\n');
        // A machine that goes down may leave a file as long as it should be, with pages of zeros that
        // were never written. No entry has a zero in it.
        let hollow = ended && line.contains(&0) && self.reader.fill_buf()?.is_empty();
        if !ended || hollow {
            self.torn = Some(self.recovery(&line));
            return Ok(None);
        }
        line.pop();
        self.whole += 1;
        Ok(Some(line))
    }

    fn recovery(&self, torn: &[u8]) -> Recovery {
        let start = torn.get(..4 * PREVIEW_CHARS).unwrap_or(torn);
        Recovery {
            line: self.whole + 1,
            kept_entries: self.whole,
            dropped_bytes: u64::try_from(torn.len()).unwrap_or(u64::MAX),
            preview: String::from_utf8_lossy(start).chars().take(PREVIEW_CHARS).collect(),
        }
    }
}

impl Lines for FileLines {
    fn next_line(&mut self) -> Option<Result<Vec<u8>, SessionError>> {
        let line = self.read_line().map_err(SessionError::io("read", &self.path));
        line.transpose()
    }

    fn torn(&self) -> Option<&Recovery> {
        self.torn.as_ref()
    }
}
