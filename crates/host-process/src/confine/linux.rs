//! Landlock for files, a system call filter for the network. Both are made here and laid on in the child.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::{Confined, Enforcement};
use crate::sys;

/// The rights that are kept from commands are those of this version, so that one confinement means the same under
/// every kernel that has them: Linux 6.2.
const RIGHTS: ABI = ABI::V3;

/// Devices that ordinary commands write to.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

/// What is laid on in the child.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bounds {
    files: Option<Arc<OwnedFd>>,
    network: Option<Arc<BpfProgram>>,
}

impl Bounds {
    /// What must be open to lay them on.
    pub(crate) fn rules(&self) -> Option<BorrowedFd<'_>> {
        self.files.as_ref().map(|files| files.as_fd())
    }

    /// Called between fork and exec.
    pub(crate) fn lay_on(&self) -> io::Result<()> {
        if let Some(files) = &self.files {
            sys::restrict_self(files)?;
        }
        if let Some(network) = &self.network {
            let refused = |_| io::Error::from_raw_os_error(libc::EPERM);
            seccompiler::apply_filter(network).map_err(refused)?;
        }
        Ok(())
    }
}

pub(super) fn bounds(writable: &[PathBuf], network: bool) -> io::Result<(Bounds, Confined)> {
    let version = sys::landlock_version();
    let mut missing = Vec::new();
    let files = if version == 0 { None } else { ruleset(writable).map_err(io::Error::other)? };
    match (&files, version) {
        (None, _) => missing.push("the kernel has no Landlock, so that any file could be written"),
        // Linux before 6.2.
        (Some(_), ..3) => missing.push("the kernel cannot keep files from being cut"),
        (Some(_), _) => {}
    }
    let filter = if network { None } else { no_network() };
    if !network && filter.is_none() {
        missing.push("the network cannot be kept from commands on this processor");
    }
    let enforcement = match (&files, &filter) {
        _ if missing.is_empty() => Enforcement::Full,
        (None, None) => Enforcement::None,
        (_, _) => Enforcement::Partial,
    };
    let bounds = Bounds { files: files.map(Arc::new), network: filter.map(Arc::new) };
    Ok((bounds, Confined { enforcement, missing, denied: Vec::new() }))
}

fn ruleset(writable: &[PathBuf]) -> Result<Option<OwnedFd>, RulesetError> {
    let writes = AccessFs::from_write(RIGHTS);
    // A device made in a writable folder would be a way to write any disk.
    let in_folders = writes & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(writes)?
        // Linux 6.12 and later: no signals but to what is confined with it. Before, that is left open.
        .scope(Scope::Signal)?
        .create()?;
    for path in writable {
        ruleset = allow(ruleset, path, in_folders)?;
    }
    for device in DEVICES {
        ruleset = allow(ruleset, Path::new(device), AccessFs::WriteFile | AccessFs::Truncate)?;
    }
    Ok(ruleset.into())
}

/// A path that is not there is none to allow.
fn allow(
    ruleset: RulesetCreated,
    path: &Path,
    rights: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let Ok(opened) = PathFd::new(path) else { return Ok(ruleset) };
    // Files take part of the rights only.
    let rights = if path.is_dir() { rights } else { rights & AccessFs::from_file(RIGHTS) };
    ruleset.add_rule(PathBeneath::new(opened, rights))
}

/// Refuses all sockets but local ones, and the ring that could make them unseen.
fn no_network() -> Option<BpfProgram> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    let not = |family: i32| {
        let family = u64::try_from(family).unwrap_or_default();
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family)
    };
    let foreign =
        SeccompRule::new(vec![not(libc::AF_UNIX).ok()?, not(libc::AF_NETLINK).ok()?]).ok()?;
    let rules =
        BTreeMap::from([(libc::SYS_socket, vec![foreign]), (libc::SYS_io_uring_setup, Vec::new())]);
    let refuse = SeccompAction::Errno(libc::EACCES.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).ok()?;
    filter.try_into().ok()
}
