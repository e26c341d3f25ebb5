// Requests to the studio. Addresses are relative: the token is part of the page's own.

/** Nobody answers: the studio has ended, or is about to start again. */
export class Unreachable extends Error {}

async function answer(request) {
  let response;
  try {
    response = await request;
  } catch {
    throw new Unreachable("The studio does not answer. Start it again with `gradless studio`; searches go on without it.");
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.error ?? `The studio refused (${response.status}).`);
  return body;
}

export const get = (path) => answer(fetch(`api/${path}`));

export const post = (path, value = {}) =>
  answer(fetch(`api/${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value) }));

/** Sends a file under its name. */
export const send = (path, name, content, more = {}) =>
  answer(fetch(`api/${path}?${new URLSearchParams({ name, ...more })}`, { method: "POST", headers: { "content-type": "application/octet-stream" }, body: content }));

/** The picture of an input as the model sees it: columns, rows, and RGB bytes. */
export async function seen(name) {
  const response = await fetch(`api/inputs/${name}/seen`);
  if (!response.ok) throw new Error((await response.json().catch(() => ({}))).error ?? "The picture cannot be shown.");
  const bytes = new Uint8Array(await response.arrayBuffer());
  const view = new DataView(bytes.buffer);
  return { columns: view.getUint32(0, true), rows: view.getUint32(4, true), rgb: bytes.subarray(8) };
}

/** The table of a run's steps. */
export async function trace(name) {
  const response = await fetch(`api/runs/${encodeURIComponent(name)}/files/trace.csv`);
  if (!response.ok) throw new Error(`There is no table of the steps of ${name}.`);
  return response.text();
}

/** The text of an input. */
export async function text(name) {
  const response = await fetch(`api/inputs/${name}`);
  return response.ok ? response.text() : "";
}
