//! What a run costs, beside what it is made of in the same run: a bare process, a bare round trip over a socket, the
//! engine alone; and Node on the same work, where there is one.
//!
//! Bars: `warm` 1 ms, `cold` 15 ms, `call/worker` 60 us, `call/thread` 15 us, `megabyte/in` 25 ms.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark stops on any failure")]

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use code_runtime::{
    Bindings, CallError, CallStart, Config, Host, NoHost, Program, RunOutcome, Runtime, Worker,
};
use contract_schema::Json;
use divan::Bencher;
use futures_util::future::BoxFuture;

fn main() {
    if node(&["-e", ""]).is_none() {
        println!("NO NODE ON THIS MACHINE: its figures are missing below");
    }
    divan::main();
}

fn worker() -> Worker {
    Worker::Path(PathBuf::from(env!("CARGO_BIN_EXE_code-worker")))
}

fn runtime(worker: Worker, pool_workers: usize) -> Runtime {
    Runtime::new(Config { worker, pool_workers, ..Config::default() }).unwrap()
}

fn tokio() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Answers every call with the same value.
struct Same(Json);

impl Host for Same {
    fn call(&self, _: CallStart) -> BoxFuture<'_, Result<Json, CallError>> {
        Box::pin(std::future::ready(Ok(self.0.clone())))
    }
}

fn run(
    tokio: &tokio::runtime::Runtime,
    runtime: &Runtime,
    source: &str,
    host: &dyn Host,
) -> RunOutcome {
    let program = Program::new(source).with(Bindings::tools(vec!["get".to_owned()]));
    let outcome = tokio.block_on(runtime.run(program, host));
    assert_eq!(outcome.failure(), None);
    outcome
}

/// Long enough for the pool to be full again.
fn rest() {
    std::thread::sleep(Duration::from_millis(8));
}

mod empty {
    use super::*;

    /// Bar 1 ms, aim 0.2 ms.
    #[divan::bench(sample_count = 200, sample_size = 1)]
    fn warm(bencher: Bencher<'_, '_>) {
        let (tokio, runtime) = (tokio(), runtime(worker(), 2));
        bencher.with_inputs(rest).bench_values(|()| run(&tokio, &runtime, "return 1", &NoHost));
    }

    #[divan::bench(sample_count = 200, sample_size = 1)]
    fn warm_on_a_thread(bencher: Bencher<'_, '_>) {
        let (tokio, runtime) = (tokio(), runtime(Worker::InProcess, 2));
        bencher.with_inputs(rest).bench_values(|()| run(&tokio, &runtime, "return 1", &NoHost));
    }

    /// Bar 15 ms.
    #[divan::bench(sample_count = 100, sample_size = 1)]
    fn cold(bencher: Bencher<'_, '_>) {
        let (tokio, runtime) = (tokio(), runtime(worker(), 0));
        bencher.with_inputs(rest).bench_values(|()| run(&tokio, &runtime, "return 1", &NoHost));
    }

    /// A process that does nothing, spawned and reaped.
    #[divan::bench(sample_count = 100, sample_size = 1)]
    fn baseline_spawn(bencher: Bencher<'_, '_>) {
        bencher.with_inputs(rest).bench_values(|()| {
            Command::new("/bin/true").env_clear().stdin(Stdio::null()).status().unwrap()
        });
    }

    #[divan::bench(sample_count = 20, sample_size = 1)]
    fn node_process() {
        node(&["-e", "1"]);
    }

    #[divan::bench(sample_count = 40, sample_size = 1)]
    fn node_worker_thread(bencher: Bencher<'_, '_>) {
        let Some(mut node) = Node::start() else { return };
        bencher.bench_local(|| node.ask("empty"));
    }
}

mod call {
    use super::*;

    const CALLS: u32 = 1_000;

    fn sequential(bencher: Bencher<'_, '_>, worker: Worker, source: &str) {
        let (tokio, runtime) = (tokio(), runtime(worker, 1));
        let host = Same(Json::parse("1").unwrap());
        bencher
            .counter(CALLS)
            .with_inputs(rest)
            .bench_values(|()| run(&tokio, &runtime, source, &host));
    }

    const ONE_BY_ONE: &str = "for (let i = 0; i < 1000; i++) await tools.get({ i })";
    const TOGETHER: &str = "for (let i = 0; i < 5; i++) await Promise.all(Array.from({ length: 200 }, (_, i) => tools.get({ i })))";

    /// A thousand calls. Bar 60 ms, aim 25 ms.
    #[divan::bench(sample_count = 30, sample_size = 1)]
    fn worker_1000(bencher: Bencher<'_, '_>) {
        sequential(bencher, worker(), ONE_BY_ONE);
    }

    /// A thousand calls. Bar 15 ms.
    #[divan::bench(sample_count = 30, sample_size = 1)]
    fn thread_1000(bencher: Bencher<'_, '_>) {
        sequential(bencher, Worker::InProcess, ONE_BY_ONE);
    }

    #[divan::bench(sample_count = 30, sample_size = 1)]
    fn worker_1000_in_parallel(bencher: Bencher<'_, '_>) {
        sequential(bencher, worker(), TOGETHER);
    }

    /// A thousand bytes there and back over a socket pair, a thread at the other end, nobody polling.
    #[divan::bench(sample_count = 30, sample_size = 1)]
    fn baseline_ping_1000(bencher: Bencher<'_, '_>) {
        let (mut ours, mut theirs) = UnixStream::pair().unwrap();
        let echo = std::thread::spawn(move || {
            let mut byte = [0];
            while theirs.read_exact(&mut byte).is_ok() && theirs.write_all(&byte).is_ok() {}
        });
        bencher.counter(CALLS).bench_local(|| {
            let mut byte = [1];
            for _ in 0..CALLS {
                ours.write_all(&byte).unwrap();
                ours.read_exact(&mut byte).unwrap();
            }
        });
        drop(ours);
        echo.join().unwrap();
    }

    /// A thousand calls of a host function in the engine alone, each awaited.
    #[divan::bench(sample_count = 30, sample_size = 1)]
    fn baseline_engine_1000(bencher: Bencher<'_, '_>) {
        let engine = rquickjs::Runtime::new().unwrap();
        let context = rquickjs::Context::full(&engine).unwrap();
        context.with(|ctx| {
            let get = rquickjs::Function::new(ctx.clone(), |x: i32| x).unwrap();
            ctx.globals().set("get", get).unwrap();
        });
        bencher.counter(CALLS).bench_local(|| {
            context.with(|ctx| {
                let source = "(async () => { for (let i = 0; i < 1000; i++) await get(i) })()";
                let promise: rquickjs::Promise<'_> = ctx.eval(source).unwrap();
                promise.finish::<rquickjs::Value<'_>>().unwrap();
            });
        });
    }

    /// A thousand messages to a worker thread of Node and back.
    #[divan::bench(sample_count = 10, sample_size = 1)]
    fn node_messages_1000(bencher: Bencher<'_, '_>) {
        let Some(mut node) = Node::start() else { return };
        bencher.counter(CALLS).bench_local(|| node.ask("calls"));
    }
}

mod megabyte {
    use super::*;

    /// 1.08 MB of JSON in 10,000 objects.
    fn matches() -> String {
        let mut text = "[".to_owned();
        for number in 0..10_000 {
            let comma = if number == 0 { "" } else { "," };
            let path = format!("crates/some-crate/src/module/file{number:05}.rs");
            write!(
                text,
                r#"{comma}{{"path":"{path}","line":{number},"text":"let value = compute(number);"}}"#
            )
            .unwrap();
        }
        text.push(']');
        text
    }

    fn given(bencher: Bencher<'_, '_>, source: &str) {
        let (tokio, runtime) = (tokio(), runtime(worker(), 1));
        let host = Same(Json::parse(&matches()).unwrap());
        bencher.with_inputs(rest).bench_values(|()| run(&tokio, &runtime, source, &host));
    }

    /// A run that gets the value. Bar 25 ms, aim 12 ms.
    #[divan::bench(sample_count = 40, sample_size = 1)]
    fn to_the_program(bencher: Bencher<'_, '_>) {
        given(bencher, "return (await tools.get({})).length");
    }

    #[divan::bench(sample_count = 40, sample_size = 1)]
    fn to_the_program_and_back(bencher: Bencher<'_, '_>) {
        given(bencher, "return await tools.get({})");
    }

    /// The engine's own reader on the same text.
    #[divan::bench(sample_count = 40, sample_size = 1)]
    fn baseline_engine_parse(bencher: Bencher<'_, '_>) {
        let engine = rquickjs::Runtime::new().unwrap();
        let context = rquickjs::Context::full(&engine).unwrap();
        let text = matches();
        bencher.bench_local(|| {
            context.with(|ctx| drop(ctx.json_parse(text.as_str()).unwrap()));
        });
    }

    #[divan::bench(sample_count = 20, sample_size = 1)]
    fn node_message(bencher: Bencher<'_, '_>) {
        let Some(mut node) = Node::start() else { return };
        node.ask("prepare");
        bencher.bench_local(|| node.ask("megabyte"));
    }
}

fn node(arguments: &[&str]) -> Option<()> {
    let status = Command::new("node").args(arguments).stdin(Stdio::null()).status().ok()?;
    assert!(status.success());
    Some(())
}

/// A Node that does what it is asked on its worker threads, one line a task.
struct Node {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

const NODE: &str = r"
const { Worker } = require('node:worker_threads');
const once = (w, e) => new Promise((r) => w.once(e, r));
const loop = `const { parentPort: p } = require('node:worker_threads');
  p.on('message', (m) => { if (m === 'calls') { let i = 0; const next = () => i < 1000 ? p.postMessage({ i: i++ }) : p.postMessage('done'); p.removeAllListeners(); p.on('message', next); next(); } else p.postMessage(m.length) });`;
let big;
const tasks = {
  async empty() { const w = new Worker('require(\'node:worker_threads\').parentPort.postMessage(1)', { eval: true }); await once(w, 'message'); await w.terminate() },
  async calls() { const w = new Worker(loop, { eval: true }); await new Promise((r) => { w.on('message', (m) => m === 'done' ? r() : w.postMessage(1)); w.postMessage('calls') }); await w.terminate() },
  async prepare() { big = Array.from({ length: 10000 }, (_, line) => ({ path: `crates/some-crate/src/module/file${line}.rs`, line, text: 'let value = compute(number);' })) },
  async megabyte() { const w = new Worker(loop, { eval: true }); w.postMessage(big); await once(w, 'message'); await w.terminate() },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', async (task) => { await tasks[task](); console.log('done') });
";

impl Node {
    fn start() -> Option<Self> {
        let spawned = Command::new("node")
            .args(["-e", NODE])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = spawned.ok()?;
        let stdin = child.stdin.take()?;
        let stdout = BufReader::new(child.stdout.take()?);
        Some(Self { child, stdin, stdout })
    }

    fn ask(&mut self, task: &str) {
        writeln!(self.stdin, "{task}").unwrap();
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).unwrap();
        assert_eq!(answer, "done\n");
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
