//! What can be asked of the studio.

mod choice;

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::folder::{self, Name};
use crate::guard::{self, Hosts};
use crate::live;
use crate::model::{Facts, Input};
use crate::page::{ASSETS, INDEX};
use crate::picture;
use crate::run::Listed;
use crate::runs::{RunError, Runs};
use crate::words::Request;
pub(crate) use choice::Choice;
use choice::Chosen;

/// A request that is no file.
const MOST_WORDS: usize = 1 << 20;
/// A picture, a table or a text.
const MOST_INPUT: usize = 32 << 20;
/// A model.
const MOST_MODEL: usize = guard::MOST_BYTES;
/// The most inputs that are scored at once: a drawing and disturbed copies of it.
const MOST_DRAWINGS: usize = 16;
/// Endings of inputs, and what they are.
const KINDS: [(&str, &str); 8] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("csv", "text/plain; charset=utf-8"),
    ("txt", "text/plain; charset=utf-8"),
    ("md", "text/plain; charset=utf-8"),
    ("npy", "application/octet-stream"),
    // The description of a model.
    ("toml", "text/plain; charset=utf-8"),
];
/// Files of a run that the page shows.
const FILES: [&str; 7] =
    ["report.html", "index.html", "original.png", "overlay.png", "image.png", "heat.png", "trace.csv"];

/// What all requests share.
pub(crate) struct App {
    runs: Arc<Runs>,
    choice: Choice,
}

impl App {
    pub(crate) fn new(runs: Arc<Runs>, choice: Choice) -> Self {
        Self { runs, choice }
    }
}

/// The studio behind its token.
pub(crate) fn router(app: Arc<App>, hosts: Hosts, token: &str) -> Router {
    let at = |path: &str| format!("/{token}{path}");
    let mut router = Router::new().route(&at("/"), get(async || answer("text/html; charset=utf-8", INDEX)));
    for asset in ASSETS {
        let asset_answer = async || answer(asset.kind, asset.bytes);
        router = router.route(&at(&format!("/assets/{}", asset.name)), get(asset_answer));
    }
    router
        .route(&at("/api/state"), get(state))
        .route(&at("/api/scores"), post(scores))
        .route(&at("/api/runs"), get(list).post(begin))
        .route(&at("/api/runs/{name}"), get(look))
        .route(&at("/api/runs/{name}/events"), get(events))
        .route(&at("/api/runs/{name}/stop"), post(stop))
        .route(&at("/api/runs/{name}/continue"), post(resume))
        .route(&at("/api/runs/{name}/answers"), get(answers))
        .route(&at("/api/runs/{name}/files/{file}"), get(run_file))
        .route(&at("/api/runs/{name}/files/items/{item}/report.html"), get(item_report))
        .route(&at("/api/inputs/{name}"), get(input))
        .route(&at("/api/inputs/{name}/seen"), get(seen))
        .layer(DefaultBodyLimit::max(MOST_WORDS))
        .route(&at("/api/inputs"), post(upload).layer(DefaultBodyLimit::max(MOST_INPUT)))
        .route(&at("/api/models"), post(choice::file).layer(DefaultBodyLimit::max(MOST_MODEL)))
        .route(&at("/api/models/address"), post(choice::address))
        .route(&at("/api/models/first"), post(choice::first))
        .fallback(async || Failure::new(StatusCode::NOT_FOUND, "there is nothing here"))
        .with_state(app)
        .layer(axum::middleware::from_fn_with_state(Arc::new(hosts), guard::guard))
}

/// What is answered instead, for people.
struct Failure(StatusCode, String);

impl Failure {
    fn new(code: StatusCode, words: impl Into<String>) -> Self {
        Self(code, words.into())
    }

    fn missing() -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is no such thing")
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.0, axum::Json(json!({ "error": self.1 }))).into_response()
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let code = match error {
            RunError::Refused(_) => StatusCode::UNPROCESSABLE_ENTITY,
            RunError::Busy => StatusCode::TOO_MANY_REQUESTS,
            RunError::Missing => StatusCode::NOT_FOUND,
            RunError::Idle | RunError::Running => StatusCode::CONFLICT,
            RunError::Program(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self(code, error.to_string())
    }
}

fn answer(kind: &'static str, body: impl IntoResponse) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], body).into_response()
}

/// Work that waits for a disk or a model.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let broken = |_| Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "this went wrong inside the studio");
    tokio::task::spawn_blocking(work).await.map_err(broken)?
}

fn name(text: &str) -> Result<Name, Failure> {
    Name::parse(text).ok_or_else(Failure::missing)
}

#[derive(Serialize)]
struct Told {
    version: &'static str,
    folder: String,
    model: Facts,
    words: Vec<String>,
    /// Whether it is the model of the command line.
    is_first: bool,
}

async fn state(State(app): State<Arc<App>>) -> axum::Json<Told> {
    axum::Json(told(&app))
}

fn told(app: &App) -> Told {
    let Chosen { words, classifier } = app.choice.now();
    Told {
        version: env!("CARGO_PKG_VERSION"),
        folder: app.runs.folder.root().display().to_string(),
        model: classifier.facts(),
        words,
        is_first: app.choice.is_first(),
    }
}

/// What the scores are asked of.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Scored {
    /// Drawings: one, and copies of it.
    Drawings(Vec<Vec<u8>>),
    /// A file among the inputs that is a picture or a text.
    File(String),
    /// A row of a table.
    Row { columns: Vec<String>, cells: Vec<String> },
}

async fn scores(State(app): State<Arc<App>>, body: Bytes) -> Result<axum::Json<Value>, Failure> {
    let asked: Scored = parse(&body)?;
    let refused = |error: String| Failure::new(StatusCode::UNPROCESSABLE_ENTITY, error);
    let found = apart(move || {
        let Chosen { classifier, .. } = app.choice.now();
        let one = |input: Input<'_>| Ok(vec![classifier.scores(input).map_err(refused)?]);
        match asked {
            Scored::Drawings(drawings) if drawings.len() <= MOST_DRAWINGS => drawings
                .iter()
                .map(|pixels| {
                    let file = picture::grey_png(28, 28, pixels);
                    let file = file.ok_or_else(|| refused("a drawing has 28 x 28 pixels".to_owned()))?;
                    classifier.scores(Input::Picture(&file)).map_err(refused)
                })
                .collect(),
            Scored::Drawings(_) => {
                Err(refused(format!("at most {MOST_DRAWINGS} drawings are scored at once")))
            }
            Scored::File(file) => {
                let bytes = read_input(&app, &name(&file)?)?;
                match std::str::from_utf8(&bytes) {
                    Ok(text) if ending(&file).is_some_and(|ending| matches!(ending, "txt" | "md")) => {
                        one(Input::Text(text))
                    }
                    _ => one(Input::Picture(&bytes)),
                }
            }
            Scored::Row { columns, cells } => one(Input::Row(&columns, &cells)),
        }
    });
    let scores = found.await?;
    Ok(axum::Json(json!({ "scores": scores })))
}

fn parse<T: for<'de> Deserialize<'de>>(body: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| {
        Failure::new(StatusCode::UNPROCESSABLE_ENTITY, format!("this makes no sense: {error}"))
    })
}

async fn list(State(app): State<Arc<App>>) -> Result<axum::Json<Vec<Listed>>, Failure> {
    Ok(axum::Json(apart(move || Ok(app.runs.list())).await?))
}

async fn begin(State(app): State<Arc<App>>, body: Bytes) -> Result<axum::Json<Listed>, Failure> {
    let request: Request = parse(&body)?;
    Ok(axum::Json(apart(move || Ok(app.runs.begin(&request, &app.choice.now().words)?)).await?))
}

async fn look(State(app): State<Arc<App>>, Path(run): Path<String>) -> Result<axum::Json<Value>, Failure> {
    let run = name(&run)?;
    let found = apart(move || {
        let listed = app.runs.look(&run)?;
        Ok(json!({ "run": listed, "call": app.runs.call(&run) }))
    });
    Ok(axum::Json(found.await?))
}

async fn events(
    State(app): State<Arc<App>>,
    Path(run): Path<String>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Failure> {
    let run = name(&run)?;
    let runs = Arc::clone(&app.runs);
    let run = apart(move || runs.look(&run).map(|_| run).map_err(Failure::from)).await?;
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok()).unwrap_or(0);
    let events = live::events(Arc::clone(&app.runs), run, seen);
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

async fn stop(State(app): State<Arc<App>>, Path(run): Path<String>) -> Result<axum::Json<Value>, Failure> {
    let run = name(&run)?;
    apart(move || Ok(app.runs.stop(&run)?)).await?;
    Ok(axum::Json(json!({})))
}

async fn resume(State(app): State<Arc<App>>, Path(run): Path<String>) -> Result<axum::Json<Listed>, Failure> {
    let run = name(&run)?;
    Ok(axum::Json(apart(move || Ok(app.runs.resume(&run)?)).await?))
}

/// The answers with their arrays: the data of the run's own page.
async fn answers(State(app): State<Arc<App>>, Path(run): Path<String>) -> Result<Response, Failure> {
    let run = name(&run)?;
    let bytes = apart(move || read_inside(&app, &app.runs.folder.run(&run).join("report.json"))).await?;
    Ok(answer("application/json", bytes))
}

/// A file of a run; of an answer among several, `pp.overlay.png`.
async fn run_file(
    State(app): State<Arc<App>>,
    Path((run, file)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let (run, file) = (name(&run)?, name(&file)?);
    let (below, file) = match file.as_str().split_once('.') {
        Some((below @ ("pp" | "pn"), file)) => (below, file.to_owned()),
        _ => ("", file.as_str().to_owned()),
    };
    if !FILES.contains(&&*file) {
        return Err(Failure::missing());
    }
    let path = app.runs.folder.run(&run).join(below).join(&file);
    let kind = match ending(&file) {
        Some("html") => "text/html; charset=utf-8",
        Some("png") => "image/png",
        _ => "text/plain; charset=utf-8",
    };
    let bytes = apart(move || read_inside(&app, &path)).await?;
    Ok(match &*file {
        "report.html" => report(bytes, guard::REPORT),
        "index.html" => report(bytes, guard::INDEX),
        _ => answer(kind, bytes),
    })
}

/// The report of an input of a run over many, to which the index of the run links.
async fn item_report(
    State(app): State<Arc<App>>,
    Path((run, item)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let (run, item) = (name(&run)?, name(&item)?);
    let path = app.runs.folder.run(&run).join("items").join(item.as_str()).join("report.html");
    Ok(report(apart(move || read_inside(&app, &path)).await?, guard::REPORT))
}

/// A page of a run, which brings its style with it and needs no script.
fn report(bytes: Vec<u8>, policy: &'static str) -> Response {
    let mut response = answer("text/html; charset=utf-8", bytes);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

async fn input(State(app): State<Arc<App>>, Path(file): Path<String>) -> Result<Response, Failure> {
    let file = name(&file)?;
    let kind = KINDS.iter().find(|(known, _)| ending(file.as_str()) == Some(known));
    let (_, kind) = *kind.ok_or_else(Failure::missing)?;
    let bytes = apart(move || read_input(&app, &file)).await?;
    Ok(answer(kind, bytes))
}

/// A picture as the model sees it: columns and rows as 32 bits each, the lowest first, then red, green and blue of every pixel.
async fn seen(State(app): State<Arc<App>>, Path(file): Path<String>) -> Result<Response, Failure> {
    let file = name(&file)?;
    let bytes = apart(move || {
        let refused = |error: String| Failure::new(StatusCode::UNPROCESSABLE_ENTITY, error);
        let seen = app.choice.now().classifier.seen(&read_input(&app, &file)?).map_err(refused)?;
        Ok([&seen.columns.to_le_bytes()[..], &seen.rows.to_le_bytes(), &seen.rgb].concat())
    });
    Ok(answer("application/octet-stream", bytes.await?))
}

/// The name of a file that is dropped on the page.
#[derive(Deserialize)]
struct Dropped {
    name: String,
}

async fn upload(
    State(app): State<Arc<App>>,
    Query(dropped): Query<Dropped>,
    body: Bytes,
) -> Result<axum::Json<Value>, Failure> {
    let ending = ending(&dropped.name).map(str::to_ascii_lowercase).unwrap_or_default();
    if !KINDS.iter().any(|(known, _)| *known == ending) {
        let words =
            "this is neither a picture (PNG, JPEG), nor a table (.csv), a text (.txt) or an array (.npy)";
        return Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, words));
    }
    let kept = apart(move || {
        let kept = app.runs.folder.keep_input(&folder::stem(&dropped.name), &ending, &body);
        kept.map_err(|error| Failure::new(StatusCode::INSUFFICIENT_STORAGE, error.to_string()))
    });
    Ok(axum::Json(json!({ "name": kept.await?.as_str() })))
}

fn ending(file: &str) -> Option<&str> {
    file.rsplit_once('.').map(|(_, ending)| ending)
}

fn read_input(app: &App, name: &Name) -> Result<Vec<u8>, Failure> {
    read_inside(app, &app.runs.folder.input(name))
}

/// A file below the folder of the studio, wherever links in it lead.
fn read_inside(app: &App, path: &std::path::Path) -> Result<Vec<u8>, Failure> {
    let missing = |_| Failure::missing();
    let root = app.runs.folder.root().canonicalize().map_err(missing)?;
    let path = path.canonicalize().map_err(missing)?;
    if !path.starts_with(root) {
        return Err(Failure::missing());
    }
    std::fs::read(path).map_err(missing)
}
