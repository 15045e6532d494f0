//! Landlock and seccomp.

use std::collections::BTreeMap;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, RestrictionStatus, Ruleset, RulesetAttr as _,
    RulesetError, RulesetStatus, Scope,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::Rules;

/// Forbids every file, every port and every process, by rules that allow none.
pub(super) fn forbid_files() -> Rules {
    match restrict() {
        Ok(status) => match status.ruleset {
            RulesetStatus::FullyEnforced => Rules::Full,
            RulesetStatus::PartiallyEnforced => Rules::Partial,
            RulesetStatus::NotEnforced => Rules::None,
        },
        Err(_) => Rules::None,
    }
}

fn restrict() -> Result<RestrictionStatus, RulesetError> {
    let newest = ABI::V6;
    Ruleset::default()
        .handle_access(AccessFs::from_all(newest))?
        .handle_access(AccessNet::from_all(newest))?
        .scope(Scope::from_all(newest))?
        .create()?
        .restrict_self()
}

/// What the worker does from here on: use its memory, tell the time, talk over its socket, end.
const CALLS: &[i64] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_recvfrom,
    libc::SYS_sendto,
    libc::SYS_ppoll,
    libc::SYS_fcntl,
    libc::SYS_close,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_clock_gettime,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_setitimer,
    libc::SYS_sigaltstack,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
];

/// Allows these calls of the kernel and fails all others with `EPERM`. Whether the kernel took the list.
pub(super) fn allow_calls() -> bool {
    filter().is_some_and(|filter| seccompiler::apply_filter_all_threads(&filter).is_ok())
}

fn filter() -> Option<BpfProgram> {
    let target = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    let mut rules: BTreeMap<i64, _> = CALLS.iter().map(|&call| (call, Vec::new())).collect();
    // To abort: signals to itself and to nobody else.
    let (width, equal) = (SeccompCmpArgLen::Dword, SeccompCmpOp::Eq);
    let itself = SeccompCondition::new(0, width, equal, std::process::id().into()).ok()?;
    rules.insert(libc::SYS_tgkill, vec![SeccompRule::new(vec![itself]).ok()?]);
    let refused = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let filter = SeccompFilter::new(rules, refused, SeccompAction::Allow, target).ok()?;
    filter.try_into().ok()
}
