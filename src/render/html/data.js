// The data of the page: blocks of records, and each field by its number. render/html/block.rs describes the form.

/** Names, labels and flags of fields. */
const fields = [];
/** All records, gaps among them, in their order. */
const records = [];
const FOLDED = 1, ENVELOPE = 2;
// Places in a node.
const FIELD = 0, OFF = 1, LEN = 2, VALUE = 3, MEANING = 4, CHILDREN = 5, TITLE = 6, BUFFER = 7, BITS = 8;

for (const element of document.querySelectorAll("script.block")) {
  const block = JSON.parse(element.textContent);
  fields.push(...block.fields);
  for (const record of block.records) records.push(record);
  element.remove();
}

/** A new element with a class and a text. Text never becomes markup. */
function make(tag, name, text) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
}

const byId = (id) => document.getElementById(id);

/** The bytes of a buffer, decoded once. */
function bytesOf(buffer) {
  if (!buffer.bytes) {
    const text = atob(buffer.b);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
    buffer.bytes = bytes;
    buffer.hidden = new Uint8Array(text.length);
    for (const [from, to] of buffer.h || []) buffer.hidden.fill(1, from, to);
  }
  return buffer.bytes;
}

/** Calls `visit` for each node of a record and its buffer until it returns true. */
function anyNode(record, visit) {
  const below = (nodes, around) => nodes.some((node) => {
    const buffer = node[BUFFER] ?? around;
    return visit(node, buffer) || (node[CHILDREN] && below(node[CHILDREN], buffer));
  });
  return below(record.L || [], 0);
}

/** What a record says, in a line. */
function summaryOf(record) {
  if (record.k === "g") return `gap: ${record.t || `${record.l} bytes missing at ${record.o}`}`;
  if (record.k === "f") return `file ${record.n}`;
  if (record.k === "x") return `damaged: ${record.i}`;
  const name = record.m || "", info = record.v && !record.m && record.p !== "data" ? record.v : record.i || "";
  const words = [name, info].filter(Boolean).join(", ");
  return record.v && record.v !== info ? `${words}  ${record.v}` : words;
}

/** Properties of a record that filters name like fields. */
const PROPERTIES = {
  n: (record) => record.n, t: (record) => record.t, time: (record) => record.T, name: (record) => record.m, info: (record) => record.i,
  protocol: (record) => record.P && record.P.split(":").pop(), src: (record) => record.a, dst: (record) => record.b,
  stream: (record) => record.c, dir: (record) => record.d, len: (record) => record.l, frame: (record) => record.f,
  note: (record) => record.M && record.M.map((note) => note[1]),
  "message.name": (record) => record.m, "message.number": (record) => (record.k === "m" ? record.n : undefined),
  "message.dir": (record) => record.d, "message.note": (record) => record.M && record.M.map((note) => note[1]),
  "message.protocol": (record) => record.P && record.P.split(":").pop(),
  "frame.number": (record) => record.f && record.f[record.f.length - 1], "frame.time_relative": (record) => record.t,
  "frame.protocols": (record) => record.P, "frame.len": (record) => (record.k === "p" ? record.l : record.z),
  "frame.comment": (record) => record.C,
};

/** Address and port of an end. */
const addressOf = (end) => end && end.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
const portOf = (end) => { const port = /:(\d+)$/.exec(end || ""); return port ? Number(port[1]) : undefined; };
const over = (record, name) => record.P !== undefined && record.P.split(":").includes(name);

/** Fields of layers that carry messages, for pages without these layers (-v adds them). */
const CARRIED = {};
for (const name of ["ip", "ipv6"]) {
  CARRIED[`${name}.src`] = (record) => (over(record, name) ? addressOf(record.a) : undefined);
  CARRIED[`${name}.dst`] = (record) => (over(record, name) ? addressOf(record.b) : undefined);
  CARRIED[`${name}.addr`] = (record) => (over(record, name) ? [addressOf(record.a), addressOf(record.b)] : undefined);
}
for (const name of ["tcp", "udp"]) {
  CARRIED[`${name}.srcport`] = (record) => (over(record, name) ? portOf(record.a) : undefined);
  CARRIED[`${name}.dstport`] = (record) => (over(record, name) ? portOf(record.b) : undefined);
  CARRIED[`${name}.port`] = (record) => (over(record, name) ? [portOf(record.a), portOf(record.b)] : undefined);
  CARRIED[`${name}.stream`] = (record) => (record.c && record.c.startsWith(`${name}/`) ? Number(record.c.slice(4)) : undefined);
}
