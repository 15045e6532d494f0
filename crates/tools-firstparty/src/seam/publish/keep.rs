//! What a replaced file hands on to the new one: owner, extended attributes (access lists are some), mode.

use rustix::fd::OwnedFd;
use rustix::fs::{Gid, Mode, Stat, Uid, XattrFlags};

/// Bytes of names, and of one value, that are handed on; the system's own limit.
const XATTR_MAX_BYTES: usize = 64 * 1024;

/// Set-user-id and set-group-id.
const SET_ID_BITS: u32 = 0o6000;

/// Hands on what the system permits. What it does not permit is no reason to lose the content: another
/// user's file becomes one's own, and then without set-id bits; where a mode cannot be set, the file is for its
/// owner alone.
pub(super) fn keep(old: &OwnedFd, stat: &Stat, new: &OwnedFd) {
    let owner = owner(stat, new);
    xattrs(old, new);
    let mut mode = stat.st_mode & 0o7777;
    if owner == Owner::Changed {
        mode &= !SET_ID_BITS;
    }
    // After the owner, because a change of that takes set-id bits away.
    let _ = rustix::fs::fchmod(new, Mode::from_raw_mode(mode));
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Kept,
    Changed,
}

fn owner(old: &Stat, new: &OwnedFd) -> Owner {
    let is_kept = rustix::fs::fstat(new)
        .is_ok_and(|now| (now.st_uid, now.st_gid) == (old.st_uid, old.st_gid));
    let (user, group) = (Uid::from_raw(old.st_uid), Gid::from_raw(old.st_gid));
    if is_kept || rustix::fs::fchown(new, Some(user), Some(group)).is_ok() {
        return Owner::Kept;
    }
    // The group alone may be permitted.
    let _ = rustix::fs::fchown(new, None, Some(group));
    Owner::Changed
}

fn xattrs(old: &OwnedFd, new: &OwnedFd) {
    let mut names = vec![0; XATTR_MAX_BYTES];
    // Not every file system has them.
    let Ok(count) = rustix::fs::flistxattr(old, &mut names) else { return };
    if count == 0 {
        return;
    }
    let mut value = vec![0; XATTR_MAX_BYTES];
    let names = names.get(..count).unwrap_or_default().split(|byte| *byte == 0);
    for name in names.filter(|name| !name.is_empty()) {
        if let Ok(count) = rustix::fs::fgetxattr(old, name, &mut value)
            && let Some(value) = value.get(..count)
        {
            let _ = rustix::fs::fsetxattr(new, name, value, XattrFlags::empty());
        }
    }
}
