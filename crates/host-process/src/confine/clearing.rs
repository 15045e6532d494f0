//! Emptying a folder of whatever a command left in it: of any depth, with few descriptors and a small stack.
//!
//! Each folder found is moved right under the top, and emptied there. So each is moved once and read once, no path
//! is longer than two names, and no more than the top and one other folder are open. What had a hand in the folder
//! is gone by now.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::Instant;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, chmodat, openat, renameat, unlinkat};
use rustix::io::Errno;

use crate::unique::unique;

const OPEN: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

#[derive(Debug)]
pub(super) struct Clearing {
    top: OwnedFd,
    /// Begins the names of what was moved; nobody else has such names.
    prefix: String,
    /// The numbers of moved folders that are still to be emptied.
    moved: Vec<u64>,
    last: u64,
    reading: Option<Reading>,
    fault: Option<Errno>,
}

/// A folder that is being emptied.
#[derive(Debug)]
struct Reading {
    /// Its name under the top; none for the top itself.
    name: Option<String>,
    entries: Dir,
    /// Something went since it was read from its beginning: the reading may have passed over some.
    changed: bool,
}

impl Clearing {
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        // The command may have taken rights from its own folders.
        let _ = chmodat(CWD, path, Mode::RWXU, AtFlags::empty());
        let top = openat(CWD, path, OPEN, Mode::empty())?;
        let entries = Dir::new(openat(&top, c".", OPEN, Mode::empty())?)?;
        let reading = Some(Reading { name: None, entries, changed: false });
        let prefix = format!(".{}.", unique());
        Ok(Self { top, prefix, moved: Vec::new(), last: 0, reading, fault: None })
    }

    /// Goes on, at most to `until`. Whether it is through.
    pub(super) fn advance(&mut self, until: Option<Instant>) -> bool {
        while let Some(mut reading) = self.reading.take().or_else(|| self.open_next()) {
            if !self.empty(&mut reading, until) {
                self.reading = Some(reading);
                return false;
            }
            if let Some(name) = reading.name {
                drop(reading.entries);
                let removed = unlinkat(&self.top, name, AtFlags::REMOVEDIR);
                self.note(removed);
            }
        }
        true
    }

    /// The first thing that could not be done, if there is one.
    pub(super) fn fault(&self) -> Option<Errno> {
        self.fault
    }

    fn note(&mut self, done: Result<(), Errno>) {
        self.fault = self.fault.or(done.err());
    }

    fn name(&self, number: u64) -> String {
        format!("{}{number}", self.prefix)
    }

    fn open_next(&mut self) -> Option<Reading> {
        while let Some(number) = self.moved.pop() {
            let name = self.name(number);
            match openat(&self.top, &name, OPEN, Mode::empty()).and_then(Dir::new) {
                Ok(entries) => return Some(Reading { name: Some(name), entries, changed: false }),
                Err(fault) => self.note(Err(fault)),
            }
        }
        None
    }

    fn empty(&mut self, reading: &mut Reading, until: Option<Instant>) -> bool {
        loop {
            if until.is_some_and(|until| until <= Instant::now()) {
                return false;
            }
            match reading.entries.read() {
                Some(Ok(entry)) => reading.changed |= self.take(reading, entry.file_name()),
                Some(Err(fault)) => {
                    self.note(Err(fault));
                    return true;
                }
                None if !std::mem::take(&mut reading.changed) => return true,
                None => reading.entries.rewind(),
            }
        }
    }

    /// Removes one entry, or moves it to the top. Whether it went.
    fn take(&mut self, reading: &Reading, name: &CStr) -> bool {
        let bytes = name.to_bytes();
        if bytes == b"." || bytes == b".." {
            return false;
        }
        if reading.name.is_none() && bytes.starts_with(self.prefix.as_bytes()) {
            return false;
        }
        let went = reading.entries.fd().and_then(|folder| self.remove_or_move(folder, name));
        self.note(went);
        went.is_ok()
    }

    fn remove_or_move(&mut self, folder: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
        // Systems differ in their word for a folder.
        let fault = match unlinkat(folder, name, AtFlags::empty()) {
            Err(fault @ (Errno::ISDIR | Errno::PERM)) => fault,
            done => return done,
        };
        match unlinkat(folder, name, AtFlags::REMOVEDIR) {
            Ok(()) => return Ok(()),
            Err(Errno::NOTDIR) => return Err(fault),
            Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            Err(fault) => return Err(fault),
        }
        // It is a folder: no link is followed. Without the right to write, it cannot be moved either.
        let _ = chmodat(folder, name, Mode::RWXU, AtFlags::empty());
        self.last += 1;
        renameat(folder, name, self.top.as_fd(), self.name(self.last))?;
        self.moved.push(self.last);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use rustix::fs::{mkdirat, symlinkat};

    use super::*;

    /// Folders within folders, deeper than any path can tell.
    fn nest(path: &Path, levels: usize) {
        let mut at = openat(CWD, path, OPEN, Mode::empty()).unwrap();
        for _ in 0..levels {
            mkdirat(&at, c"d", Mode::RWXU).unwrap();
            at = openat(&at, c"d", OPEN, Mode::empty()).unwrap();
        }
    }

    #[test]
    fn any_depth_goes_on_a_small_stack() {
        // On some disks each folder takes milliseconds to remove.
        let memory = tempfile::tempdir_in("/dev/shm");
        let folder = memory.or_else(|_| tempfile::tempdir()).unwrap();
        let path = folder.path().join("deep");
        fs::create_dir(&path).unwrap();
        nest(&path, 3000);
        let small = std::thread::Builder::new().stack_size(64 * 1024);
        let cleared = small.spawn(move || {
            let mut clearing = Clearing::new(&path).unwrap();
            let through = clearing.advance(None);
            (through, clearing.fault(), fs::read_dir(path).unwrap().count())
        });
        assert_eq!(cleared.unwrap().join().unwrap(), (true, None, 0));
    }

    #[test]
    fn it_goes_on_where_it_had_to_stop_and_follows_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, outside) = (folder.path().join("wide"), folder.path().join("outside"));
        fs::create_dir_all(path.join("a/b/c")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("victim"), "as it was").unwrap();
        (0..2000).for_each(|at| fs::write(path.join(format!("a/b/{at}")), "").unwrap());
        symlinkat(outside.as_path(), CWD, path.join("a/link").as_path()).unwrap();
        chmodat(CWD, path.join("a/b").as_path(), Mode::empty(), AtFlags::empty()).unwrap();
        let mut clearing = Clearing::new(&path).unwrap();
        assert!(!clearing.advance(Some(Instant::now())));
        while !clearing.advance(Some(Instant::now() + Duration::from_micros(200))) {}
        assert_eq!((clearing.fault(), fs::read_dir(path).unwrap().count()), (None, 0));
        assert_eq!(fs::read(outside.join("victim")).unwrap(), b"as it was");
    }
}
