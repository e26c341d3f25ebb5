//! A classifier behind an address: asked, counted, paced, and its secrets kept.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gradless::{Config, Driver, Inputs, Model, ModelError, Problem, Regulariser, Scored, Set, Solver};
use gradless_models::{Description, Http, HttpError, HttpOptions, Numbers, ScoreKind};
use testkit::http::{Fault, Server};

/// Two scores of a point in three dimensions.
fn model(x: &[f64]) -> Vec<f64> {
    vec![x.iter().sum(), x[0] * x[0] - 0.3 * x[1] + x[2]]
}

fn options() -> HttpOptions {
    HttpOptions {
        rows: 4,
        pause: 0.001,
        longest_pause: 5.0,
        description: Description { shape: Some(vec![3]), ..Description::default() },
        ..HttpOptions::default()
    }
}

fn healthy(_: u64) -> Fault {
    Fault::None
}

fn scores(http: &dyn Model, points: &[f64]) -> Result<Vec<f64>, ModelError> {
    let mut scores = vec![0.0; points.len() / 3 * http.classes()];
    http.scores(Inputs { points, dim: 3 }, &mut scores).map(|()| scores)
}

fn points(rows: usize) -> Vec<f64> {
    (0..3 * rows).map(|i| (i as f64 * 0.37).sin()).collect()
}

#[test]
fn scores_arrive_with_every_digit_batch_by_batch() {
    let server =
        Server::classifier(model, |number| if number % 2 == 0 { Fault::None } else { Fault::Chunked })
            .unwrap();
    let http = Http::connect(&server.address, options()).unwrap();
    assert_eq!((http.classes(), http.inputs(), http.preferred_rows()), (2, 3, 4));
    let points = points(10);
    let expected: Vec<f64> = points.chunks(3).flat_map(model).collect();
    assert_eq!(scores(&http, &points).unwrap(), expected);
    // The first request of two inputs, then batches of 4, 4 and 2.
    assert_eq!((http.requests(), http.sent(), server.requests()), (4, 12, 4));
}

#[test]
fn a_service_that_is_known_is_not_asked_what_it_told_before() {
    let server = Server::classifier(model, healthy).unwrap();
    let known = Http::connect(&server.address, options()).unwrap().known();
    assert_eq!((known.classes, known.scores, known.sent), (2, ScoreKind::Logits, 2));
    let http = Http::again(&server.address, options(), known.clone(), None::<fn() -> bool>).unwrap();
    assert_eq!((server.requests(), http.requests(), http.known()), (1, 0, known));
    let points = points(3);
    let expected: Vec<f64> = points.chunks(3).flat_map(model).collect();
    assert_eq!(scores(&http, &points).unwrap(), expected);
}

#[test]
fn inputs_are_prepared_and_grouped_as_described() {
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&bodies);
    let answer = move |body: &[u8]| {
        let body = String::from_utf8_lossy(body).into_owned();
        let rows = body.matches("\"id\"").count() + usize::from(body.contains("[1,"));
        seen.lock().unwrap().push(body);
        format!(r#"{{"outputs": [{{"data": {:?}}}]}}"#, [0.25, 0.75].repeat(rows.max(1))).into_bytes()
    };
    let server = Server::new(answer, healthy).unwrap();
    let description = Description {
        shape: Some(vec![2, 1, 2]),
        layout: gradless_models::Layout::Nhwc,
        scale: 2.0,
        mean: vec![1.0, 0.0],
        ..Description::default()
    };
    let options = HttpOptions {
        request: r#"{"inputs": [{"shape": [$rows, 1, 2, 2], "data": $inputs}]}"#.into(),
        response: "/outputs/0/data".into(),
        numbers: Numbers::Flat,
        rows: 1,
        description,
        ..options()
    };
    let http = Http::connect(&server.address, options).unwrap();
    assert_eq!((http.classes(), http.score_kind()), (2, ScoreKind::Probabilities));
    let mut told = [0.0; 2];
    http.scores(Inputs { points: &[0.5, 1.0, 0.25, 4.0], dim: 4 }, &mut told).unwrap();
    assert_eq!(told, [0.25, 0.75]);
    let last = bodies.lock().unwrap().last().unwrap().clone();
    assert_eq!(last, r#"{"inputs": [{"shape": [1, 1, 2, 2], "data": [0.0,0.5,1.0,8.0]}]}"#);
}

#[test]
fn a_run_against_a_service_takes_the_same_steps_as_one_inside_for_any_number_of_threads_and_faults() {
    let run = |oracle: &dyn gradless::Oracle, threads| {
        let problem = Problem::builder(3)
            .regulariser(Regulariser::l1(0.05))
            .set(Set::bounds(-1.0, 1.0))
            .build()
            .unwrap();
        let mut config = Config::default();
        config.budget.queries = Some(400);
        let outcome = Driver::default().threads(threads).run(Solver::new(problem, config).unwrap(), oracle);
        (outcome.x().to_vec(), outcome.counts.queries)
    };
    let loss = |scores: &[f64]| (scores[0] - 0.4).powi(2) + (scores[1] + 0.2).powi(2);
    let inside = |x: &[f64]| loss(&model(x));
    let expected = run(&inside, 1);
    for (threads, every) in [(1, 0), (4, 0), (3, 5)] {
        let faulty = move |number: u64| match number % every.max(1) {
            3 => Fault::HalfBody,
            4 => Fault::Status(503, String::new()),
            _ => Fault::None,
        };
        let server = Server::classifier(model, faulty).unwrap();
        let http = Http::connect(&server.address, options()).unwrap();
        let (x, queries) = run(&Scored { model: &http, loss }, threads);
        assert_eq!((x, queries), expected, "{threads} threads");
        if every == 0 {
            assert_eq!(http.sent(), queries + 2);
        } else {
            assert!(http.sent() > queries + 2, "what was sent again counts");
        }
    }
}

#[test]
fn what_is_sent_again_is_counted_and_capped_on_its_own() {
    let script = |number| if matches!(number, 1 | 2) { Fault::HangUp } else { Fault::None };
    let server = Server::classifier(model, script).unwrap();
    let http = Http::connect(&server.address, HttpOptions { max_sent: Some(16), ..options() }).unwrap();
    let session = http.session();
    scores(&session, &points(4)).unwrap();
    assert_eq!((session.repeated(), http.sent(), http.requests()), (8, 14, 4));
    let refused = scores(&http, &points(3)).unwrap_err();
    assert_eq!(refused, ModelError::Capped { cap: 16, used: 14, asked: 3 });
    assert_eq!(server.requests(), 4, "what would exceed the cap is not sent");
    scores(&http, &points(2)).unwrap();
    assert_eq!(http.sent(), 16);
}

#[test]
fn a_cap_also_ends_repetitions() {
    let server =
        Server::classifier(model, |number| if number == 0 { Fault::None } else { Fault::HangUp }).unwrap();
    let http = Http::connect(&server.address, HttpOptions { max_sent: Some(7), ..options() }).unwrap();
    let refused = scores(&http, &points(2)).unwrap_err();
    assert_eq!(refused, ModelError::Capped { cap: 7, used: 6, asked: 2 });
}

#[test]
fn secrets_are_sent_and_never_shown() {
    // A variable that every machine has stands for the secret.
    let secret = std::env::var("PATH").unwrap();
    let script = |number| match number {
        0 => Fault::None,
        1 => Fault::Redirect("http://elsewhere.example/".to_owned() + &std::env::var("PATH").unwrap()),
        _ => Fault::Status(403, format!("X-Echo: {}\r\n", std::env::var("PATH").unwrap())),
    };
    let server = Server::classifier(model, script).unwrap();
    let mut options = options();
    options.headers.insert("Authorization".into(), "Bearer $PATH".into());
    let http = Http::connect(&server.address, options).unwrap();
    assert!(server.heads()[0].contains(&format!("uthorization: Bearer {secret}")), "it was sent");
    let (redirected, refused) =
        (scores(&http, &points(1)).unwrap_err(), scores(&http, &points(1)).unwrap_err());
    assert!(redirected.to_string().contains("elsewhere.example/$PATH"), "{redirected}");
    assert!(refused.to_string().contains("403"), "{refused}");
    let shown = format!("{redirected} {refused} {http:?} {}", toml::to_string(http.options()).unwrap());
    assert!(shown.contains("Bearer $PATH") && !shown.contains(&secret), "{shown}");
}

#[test]
fn a_service_that_asks_for_quiet_gets_it_from_everyone() {
    let busy = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:49:38 GMT\r\n";
    let script = move |number| if number == 1 { Fault::Status(429, busy.into()) } else { Fault::None };
    let server = Server::classifier(model, script).unwrap();
    let http = Http::connect(&server.address, options()).unwrap();
    let begun = Instant::now();
    scores(&http, &points(4)).unwrap();
    assert!(begun.elapsed() >= Duration::from_secs(1), "a second, as was asked for");
    assert_eq!(http.requests(), 3);
}

#[test]
fn a_service_that_asks_for_an_hour_is_given_up() {
    let script = |number| {
        if number == 0 { Fault::None } else { Fault::Status(503, "Retry-After: 3600\r\n".into()) }
    };
    let server = Server::classifier(model, script).unwrap();
    let http = Http::connect(&server.address, options()).unwrap();
    let error = scores(&http, &points(1)).unwrap_err().to_string();
    assert!(error.contains("3600 s") && error.contains("longest_pause"), "{error}");
    assert_eq!(server.requests(), 2);
}

#[test]
fn whoever_waits_for_a_service_can_be_told_to_stop() {
    let script =
        |number| if number == 0 { Fault::None } else { Fault::Status(503, "Retry-After: 600\r\n".into()) };
    let server = Server::classifier(model, script).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&stop);
    let options = HttpOptions { longest_pause: 1_000.0, ..options() };
    let until = Some(move || told.load(Ordering::Relaxed));
    let http = Http::connect_until(&server.address, options, until).unwrap();
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| scores(&http, &points(1)));
        while server.requests() < 2 {
            std::thread::yield_now();
        }
        stop.store(true, Ordering::Relaxed);
        let error = asked.join().unwrap().unwrap_err();
        assert_eq!(error.recovery(), gradless::oracle::Recovery::Possible);
    });
}

#[test]
fn no_more_requests_are_out_than_allowed() {
    let (now, most) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
    let (counted, highest) = (Arc::clone(&now), Arc::clone(&most));
    let answer = testkit::http::scores(model);
    let server = Server::new(
        move |body| {
            {
                let mut now = counted.lock().unwrap();
                *now += 1;
                let mut most = highest.lock().unwrap();
                *most = (*most).max(*now);
            }
            std::thread::sleep(Duration::from_millis(5));
            *counted.lock().unwrap() -= 1;
            answer(body)
        },
        healthy,
    )
    .unwrap();
    let http = Http::connect(&server.address, HttpOptions { in_flight: 3, rows: 1, ..options() }).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| scores(&http, &points(6)).unwrap());
        }
    });
    assert_eq!(http.sent(), 1 + 48);
    assert!(*most.lock().unwrap() <= 3, "{} at once", most.lock().unwrap());
}

#[test]
fn what_cannot_work_is_refused_before_anything_is_sent() {
    let server = Server::classifier(model, healthy).unwrap();
    let refused = |change: &dyn Fn(&mut HttpOptions)| {
        let mut options = options();
        change(&mut options);
        Http::connect(&server.address, options).unwrap_err().to_string()
    };
    for (error, part) in [
        (refused(&|options| options.description.shape = None), "--shape"),
        (refused(&|options| options.description.mean = vec![0.0; 2]), "mean"),
        (refused(&|options| options.request = "{}".into()), "$inputs"),
        (refused(&|options| options.response = "scores".into()), "JSON pointer"),
        (refused(&|options| options.rows = 0), "rows"),
        (refused(&|options| options.description.shape = Some(vec![1 << 26])), "too many"),
        (refused(&|options| drop(options.headers.insert("X-Token".into(), "abc".into()))), "environment"),
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert_eq!(server.requests(), 0);
    let classes = refused(&|options| options.description.classes = vec!["a".into(); 3]);
    assert!(classes.contains("3 classes"), "{classes}");
    assert!(matches!(Http::connect("file:///x", options()), Err(HttpError::Address { .. })));
}

#[test]
fn an_input_that_json_cannot_hold_is_refused_and_costs_nothing() {
    let server = Server::classifier(model, healthy).unwrap();
    let http = Http::connect(&server.address, options()).unwrap();
    let error = scores(&http, &[0.0, f64::NAN, 0.0]).unwrap_err();
    assert!(matches!(&error, ModelError::Inputs(words) if words.contains("number 1 of input 0")), "{error}");
    assert_eq!(http.sent(), 2);
}
