//! A worker that is nothing else, for tests and for hosts that cannot be their own.

fn main() -> std::process::ExitCode {
    code_runtime::worker_main();
    std::process::ExitCode::from(2)
}
