//! The service, with producers that do what the test tells them.

use std::sync::atomic::{AtomicUsize, Ordering};

use contract_registry::{AgentId, CallId, SessionId, ToolError};
use tokio::sync::oneshot;
use tool_seams::{JobEnd, JobOutput, JobRun, JobStatus, JobTail};

use super::*;

fn service(change: impl FnOnce(&mut JobsCaps)) -> JobService {
    let mut caps = JobsCaps::default();
    change(&mut caps);
    JobService::new(caps).expect("valid caps")
}

fn owner(session: &str) -> JobOwner {
    JobOwner { session: Some(SessionId::new(session)), agent: AgentId::default() }
}

fn request(owner: &JobOwner, kind: &str) -> JobRequest {
    let (owner, kind) = (owner.clone(), kind.to_owned());
    JobRequest { owner, kind, label: "make all".to_owned(), page_max_bytes: None }
}

fn outcome(end: JobEnd, detail: &str) -> JobOutcome {
    JobOutcome { end, detail: Some(detail.to_owned()), output: None }
}

/// The producer's side of a job.
struct Producer {
    job: Job,
    done: Option<oneshot::Sender<JobOutcome>>,
    cancels: Arc<Mutex<Vec<Option<String>>>>,
    text: Arc<Mutex<String>>,
}

impl Producer {
    fn start(service: &JobService, owner: &JobOwner) -> Self {
        Self::try_start(service, request(owner, "bash")).expect("starts")
    }

    fn try_start(service: &JobService, request: JobRequest) -> Result<Self, JobError> {
        let (done, ended) = oneshot::channel();
        let (cancels, text) = (Arc::<Mutex<Vec<_>>>::default(), Arc::<Mutex<String>>::default());
        let (asked, output) = (Arc::clone(&cancels), Written(Arc::clone(&text)));
        let begin = move |_: &JobId| {
            Ok(JobRun {
                cancel: Box::new(move |reason| {
                    asked.lock().unwrap().push(reason.map(str::to_owned));
                }),
                done: Box::pin(async move { ended.await.expect("the producer says its end") }),
                output: Some(Arc::new(output)),
            })
        };
        let job = service.start(request, Box::new(begin))?;
        Ok(Self { job, done: Some(done), cancels, text })
    }

    fn write(&self, text: &str) {
        self.text.lock().unwrap().push_str(text);
    }

    fn end(&mut self, outcome: JobOutcome) {
        self.done.take().expect("ends once").send(outcome).expect("the service waits");
    }

    /// Ends and waits, as a reader that is not the model.
    async fn ended(&mut self, service: &JobService, owner: &JobOwner, outcome: JobOutcome) -> Job {
        self.end(outcome);
        let program = JobReader::Program(CallId::new("test"));
        service.wait(owner, &self.job.id, &program, MINUTE).await.expect("known")
    }
}

const MINUTE: Duration = Duration::from_secs(60);
const MOMENT: Duration = Duration::from_millis(20);

/// Output that is a text which grows.
struct Written(Arc<Mutex<String>>);

struct Place(Arc<Mutex<String>>, usize);

impl JobOutput for Written {
    fn reader(&self) -> Box<dyn JobTail> {
        Box::new(Place(Arc::clone(&self.0), 0))
    }
}

impl JobTail for Place {
    fn read(&mut self, _: usize) -> String {
        let text = self.0.lock().unwrap();
        let new = text.get(self.1..).unwrap_or_default().to_owned();
        self.1 = text.len();
        new
    }
}

fn read(service: &JobService, owner: &JobOwner, id: &JobId, reader: &JobReader) -> String {
    service.read(owner, id, reader).expect("known").text
}

#[test]
fn ids_count_by_kind_and_jobs_stand_in_the_order_of_their_start() {
    let (service, me) = (service(|_| ()), owner("a"));
    let ids = ["bash", "pty-send", "bash"].map(|kind| {
        Producer::try_start(&service, request(&me, kind)).expect("starts").job.id.to_string()
    });
    assert_eq!(ids, ["bash-1", "pty-send-1", "bash-2"]);
    let listed: Vec<_> = service.list(&me).iter().map(|job| job.id.to_string()).collect();
    assert_eq!(listed, ids);
}

#[test]
fn a_request_that_names_nothing_is_refused() {
    let (service, me) = (service(|_| ()), owner("a"));
    let blank = JobRequest { label: " \n".to_owned(), ..request(&me, "bash") };
    let no_page = JobRequest { page_max_bytes: Some(0), ..request(&me, "bash") };
    for bad in [blank, no_page, request(&me, ""), request(&me, "a b")] {
        assert!(matches!(Producer::try_start(&service, bad), Err(JobError::Request)));
    }
}

#[tokio::test]
async fn over_the_limit_nothing_is_begun_and_only_an_end_makes_room() {
    let (service, me) = (service(|caps| caps.max_unfinished = 1), owner("a"));
    let mut first = Producer::start(&service, &me);
    let begun = AtomicUsize::new(0);
    let start = || {
        let begin = |_: &JobId| {
            begun.fetch_add(1, Ordering::Relaxed);
            Err(ToolError::new("no"))
        };
        service.start(request(&me, "bash"), Box::new(begin)).expect_err("does not start")
    };
    assert!(matches!(start(), JobError::TooMany { max_unfinished: 1 }));
    service.kill(&me, &first.job.id, None).expect("known");
    assert!(matches!(start(), JobError::TooMany { .. }), "one that is stopping counts");
    assert_eq!(begun.load(Ordering::Relaxed), 0);
    Producer::start(&service, &owner("b"));
    first.ended(&service, &me, outcome(JobEnd::Killed, "x")).await;
    assert!(matches!(start(), JobError::Begin(_)));
    assert_eq!((begun.load(Ordering::Relaxed), service.list(&me).len()), (1, 1));
    Producer::start(&service, &me);
}

#[test]
fn a_job_is_known_to_its_owner_alone() {
    let (service, me) = (service(|_| ()), owner("a"));
    let job = Producer::start(&service, &me).job;
    let agent = JobOwner { agent: AgentId::new("helper"), ..me.clone() };
    for other in [owner("b"), JobOwner::default(), agent] {
        assert!(service.list(&other).is_empty());
        let unknown = |error| matches!(error, JobError::Unknown(id) if id == job.id);
        assert!(service.read(&other, &job.id, &JobReader::Model).is_err_and(unknown));
        let waited =
            futures_executor::block_on(service.wait(&other, &job.id, &JobReader::Model, MINUTE));
        assert!(waited.is_err());
        assert!(service.kill(&other, &job.id, None).is_err());
    }
    assert_eq!(service.list(&me)[0].status, JobStatus::Running);
}

#[tokio::test]
async fn a_read_takes_nothing_from_another_reader() {
    let (service, me) = (service(|_| ()), owner("a"));
    let mut producer = Producer::start(&service, &me);
    let id = producer.job.id.clone();
    let (model, program) = (JobReader::Model, JobReader::Program(CallId::new("call-1")));
    producer.write("one ");
    assert_eq!(read(&service, &me, &id, &program), "one ");
    producer.write("two");
    assert_eq!(read(&service, &me, &id, &model), "one two");
    assert_eq!(read(&service, &me, &id, &model), "");
    assert_eq!(read(&service, &me, &id, &program), "two");
    producer.ended(&service, &me, outcome(JobEnd::Completed, "exit code 0")).await;
    producer.write(" three");
    assert_eq!(read(&service, &me, &id, &model), " three");
}

#[test]
fn of_too_many_readers_the_model_keeps_its_place() {
    let (service, me) = (service(|caps| caps.max_readers = 2), owner("a"));
    let producer = Producer::start(&service, &me);
    let id = producer.job.id.clone();
    producer.write("text");
    let program = |number: u32| JobReader::Program(CallId::new(format!("call-{number}")));
    assert_eq!(read(&service, &me, &id, &JobReader::Model), "text");
    assert_eq!(read(&service, &me, &id, &program(1)), "text");
    assert_eq!(read(&service, &me, &id, &program(2)), "text");
    assert_eq!(read(&service, &me, &id, &program(2)), "");
    assert_eq!(read(&service, &me, &id, &program(1)), "text", "read longest ago");
    assert_eq!(read(&service, &me, &id, &JobReader::Model), "");
}

#[tokio::test]
async fn output_that_is_there_at_the_end_only_is_given_every_time() {
    let (service, me) = (service(|caps| caps.page_max_bytes = 256), owner("a"));
    let (done, ended) = oneshot::channel();
    let begin = move |_: &JobId| {
        Ok(JobRun {
            cancel: Box::new(|_| ()),
            done: Box::pin(async move { ended.await.unwrap() }),
            output: None,
        })
    };
    let id = service.start(request(&me, "agent"), Box::new(begin)).expect("starts").id;
    assert_eq!(read(&service, &me, &id, &JobReader::Model), "");
    let output = Some("a".repeat(1_000));
    done.send(JobOutcome { end: JobEnd::Completed, detail: None, output }).unwrap();
    service.wait(&me, &id, &JobReader::Model, MINUTE).await.expect("known");
    let text = read(&service, &me, &id, &JobReader::Model);
    assert!(text.len() <= 256 && text.contains("bytes left out]"), "{text}");
    assert_eq!(read(&service, &me, &id, &JobReader::Model), text);
}

#[tokio::test]
async fn killing_twice_asks_once_and_keeps_the_first_reason() {
    let (service, me) = (service(|_| ()), owner("a"));
    let mut producer = Producer::start(&service, &me);
    let id = producer.job.id.clone();
    for reason in [Some("wrong port"), Some("again"), None] {
        let killed = service.kill(&me, &id, reason).expect("known");
        assert_eq!(killed.outcome, KillOutcome::CancellationRequested);
        assert_eq!(killed.job.status, JobStatus::Stopping);
    }
    assert_eq!(*producer.cancels.lock().unwrap(), [Some("wrong port".to_owned())]);
    let job = producer.ended(&service, &me, outcome(JobEnd::Killed, "signal SIGTERM")).await;
    assert_eq!(job.detail.as_deref(), Some("signal SIGTERM; reason: wrong port"));
    let killed = service.kill(&me, &id, None).expect("known");
    assert_eq!((killed.outcome, killed.job), (KillOutcome::AlreadyFinished, job));
    assert!(service.take_notice(&me).is_none(), "who killed it knows");
}

#[tokio::test]
async fn a_hook_that_panics_harms_nothing() {
    let (service, me) = (service(|_| ()), owner("a"));
    let begin = |_: &JobId| {
        Ok(JobRun {
            cancel: Box::new(|_| panic!("no brakes")),
            done: Box::pin(std::future::pending()),
            output: None,
        })
    };
    let id = service.start(request(&me, "bash"), Box::new(begin)).expect("starts").id;
    let error = service.kill(&me, &id, None).expect_err("cannot be asked");
    assert_eq!(error.to_string(), "the job bash-1 could not be asked to end: no brakes");
    assert_eq!(service.list(&me)[0].status, JobStatus::Running);
    service.end(&me).await;
    assert!(service.list(&me).is_empty(), "the end of its owner does not wait for it");
}

#[tokio::test]
async fn a_producer_that_panics_has_failed() {
    let (service, me) = (service(|_| ()), owner("a"));
    let begin = |_: &JobId| {
        let done = Box::pin(async { panic!("lost it") });
        Ok(JobRun { cancel: Box::new(|_| ()), done, output: None })
    };
    let id = service.start(request(&me, "bash"), Box::new(begin)).expect("starts").id;
    let job = service.wait(&me, &id, &JobReader::Model, MINUTE).await.expect("known");
    assert_eq!((job.status, job.detail.as_deref()), (JobStatus::Failed, Some("lost it")));
}

#[tokio::test]
async fn waiting_ends_with_the_job_or_with_the_time() {
    let (service, me) = (service(|_| ()), owner("a"));
    let mut producer = Producer::start(&service, &me);
    let id = producer.job.id.clone();
    let job = service.wait(&me, &id, &JobReader::Model, MOMENT).await.expect("known");
    assert_eq!(job.status, JobStatus::Running);
    let waiting = service.wait(&me, &id, &JobReader::Model, MINUTE);
    let ending = async { producer.end(outcome(JobEnd::Completed, "exit code 3")) };
    let (job, ()) = futures_util::future::join(waiting, ending).await;
    let job = job.expect("known");
    assert_eq!((job.status, job.detail.as_deref()), (JobStatus::Completed, Some("exit code 3")));
    let again = service.wait(&me, &id, &JobReader::Model, MINUTE).await.expect("known");
    assert_eq!(again, job, "one that has ended is not waited for");
    assert!(service.take_notice(&me).is_none(), "who waited knows");
}

#[tokio::test]
async fn a_wait_that_is_given_up_keeps_the_job_and_its_notice() {
    let (service, me) = (service(|_| ()), owner("a"));
    let mut producer = Producer::start(&service, &me);
    let id = producer.job.id.clone();
    let mut waiting = service.wait(&me, &id, &JobReader::Model, MINUTE);
    assert!((&mut waiting).now_or_never().is_none());
    producer.ended(&service, &me, outcome(JobEnd::Completed, "exit code 0")).await;
    assert!(service.take_notice(&me).is_none(), "the one who waits is about to know");
    drop(waiting);
    assert_eq!(service.take_notice(&me).expect("a notice").jobs[0].id, id);
}

#[tokio::test]
async fn ends_that_nobody_saw_are_told_once_and_together() {
    let (service, me) = (service(|_| ()), owner("a"));
    let mut producers = [0, 1, 2].map(|_| Producer::start(&service, &me));
    assert!(service.noticed(&me).now_or_never().is_none());
    for at in [1, 0] {
        producers[at].ended(&service, &me, outcome(JobEnd::Completed, "exit code 0")).await;
    }
    service.noticed(&me).await;
    let notice = service.take_notice(&me).expect("a notice");
    assert_eq!(
        notice.text,
        "Background jobs have ended:\nbash-2 completed, exit code 0: make all\n\
         bash-1 completed, exit code 0: make all\nGet its output with job_output and its id."
    );
    assert!(service.take_notice(&me).is_none());
    assert!(service.noticed(&me).now_or_never().is_none());
    // What a program sees, the model has not; what the model sees, it knows.
    let seen = producers[2].ended(&service, &me, outcome(JobEnd::Failed, "x")).await;
    read(&service, &me, &seen.id, &JobReader::Program(CallId::new("call-1")));
    assert!(service.noticed(&me).now_or_never().is_some());
    read(&service, &me, &seen.id, &JobReader::Model);
    assert!(service.take_notice(&me).is_none());
}

#[tokio::test]
async fn a_notice_has_its_limit() {
    let (service, me) = (service(|caps| caps.notice_max_bytes = 256), owner("a"));
    for _ in 0..8 {
        Producer::start(&service, &me).ended(&service, &me, outcome(JobEnd::Failed, "x")).await;
    }
    let notice = service.take_notice(&me).expect("a notice");
    assert_eq!(notice.jobs.len(), 8);
    assert!(notice.text.len() <= 256 && notice.text.contains("more; job_list"), "{}", notice.text);
    let request = JobRequest { label: "é".repeat(500), ..request(&me, "bash") };
    let mut long = Producer::try_start(&service, request).expect("starts");
    long.ended(&service, &me, outcome(JobEnd::Failed, &"ü".repeat(500))).await;
    let text = service.take_notice(&me).expect("a notice").text;
    assert!(
        text.len() <= 256 && text.contains("bash-9 failed") && text.contains("job_output"),
        "{text}"
    );
}

#[tokio::test]
async fn finished_jobs_are_kept_up_to_the_cap() {
    let (service, me) = (service(|caps| caps.max_finished = 2), owner("a"));
    let running = Producer::start(&service, &me);
    for number in 0..4 {
        let mut producer = Producer::start(&service, &me);
        let job = producer.ended(&service, &me, outcome(JobEnd::Completed, "x")).await;
        if number > 0 {
            read(&service, &me, &job.id, &JobReader::Model);
        }
    }
    let left: Vec<_> = service.list(&me).iter().map(|job| job.id.to_string()).collect();
    // The model does not know of the end of bash-2 yet.
    assert_eq!(left, ["bash-1", "bash-2", "bash-5"]);
    assert!(matches!(
        service.read(&me, &JobId::new("bash-3"), &JobReader::Model),
        Err(JobError::Unknown(_))
    ));
    drop(running);
}

#[tokio::test]
async fn the_end_of_an_owner_waits_for_its_jobs_and_forgets_them() {
    let (service, me) = (service(|_| ()), owner("a"));
    let (mut mine, other) =
        (Producer::start(&service, &me), Producer::start(&service, &owner("b")));
    let mut ending = service.end(&me);
    assert!((&mut ending).now_or_never().is_none());
    assert_eq!(*mine.cancels.lock().unwrap(), [None]);
    mine.end(outcome(JobEnd::Killed, "x"));
    ending.await;
    assert!(service.list(&me).is_empty() && service.take_notice(&me).is_none());
    assert_eq!(service.list(&owner("b")), [other.job]);
    assert_eq!(Producer::start(&service, &me).job.id.as_str(), "bash-3", "ids are not given again");
}

#[test]
fn dropping_the_service_asks_all_to_end() {
    let service = service(|_| ());
    let producers = ["a", "a", "b"].map(|name| Producer::start(&service, &owner(name)));
    drop(service);
    for producer in producers {
        assert_eq!(*producer.cancels.lock().unwrap(), [None]);
    }
}

#[tokio::test]
async fn every_change_is_told() {
    let (service, me) = (service(|_| ()), owner("a"));
    let mut seen = 0;
    let mut producer = Producer::start(&service, &me);
    let id = producer.job.id.clone();
    seen = service.changed(seen).await;
    assert!(service.changed(seen).now_or_never().is_none());
    service.kill(&me, &id, None).expect("known");
    let stopping = service.changed(seen).await;
    producer.end(outcome(JobEnd::Killed, "x"));
    let ended = service.changed(stopping).await;
    service.end(&me).await;
    assert_ne!(service.changed(ended).await, ended);
}

#[tokio::test]
async fn a_label_is_kept_up_to_its_limit() {
    let (service, me) = (service(|caps| caps.label_max_bytes = 16), owner("a"));
    let request = JobRequest { label: "é".repeat(20), ..request(&me, "bash") };
    let job = Producer::try_start(&service, request).expect("starts").job;
    assert_eq!(job.label, format!("{}…", "é".repeat(8)));
}
