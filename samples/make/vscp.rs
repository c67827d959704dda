//! Sessions of a Community Place browser: the login to a world, a visit with every message, and damaged ones.

use std::net::Ipv4Addr;
use std::time::Duration;

use crate::Result;
use crate::capture::{self, Frame, Trace};
use crate::net::{Host, Link};
use crate::tcp::{Conversation, Mishap, Side, Stack};

const LOCATION_PORT: u16 = 5125;
const BUREAU_PORT: u16 = 5126;
/// A port that is not registered.
const OTHER_PORT: u16 = 6126;

/// A PC of the time.
const BROWSER: Stack = Stack { first: 0x0012_d687, mss: 1460, window: 8_760, window_scale: 0, clock: None };
const SERVER: Stack = Stack { first: 0x7a11_3c00, mss: 1460, window: 17_520, window_scale: 0, clock: None };

/// Connection and client id of the visitor.
const ME: i32 = 7;
/// Broadcast ids.
const ALICE: i32 = 4660;
const BO: i32 = 8705;
const CARO: i32 = 8711;

const NO_OBJECT: i32 = -9999;

const NEW_USER: u32 = 0;
const CLIENT_ID: u32 = 1;
const USER_JOINED: u32 = 2;
const USER_LEFT: u32 = 3;
const BROADCAST_ID: u32 = 4;
const COMMON: u32 = 6;
const STATE_CHANGE: u32 = 7;
const SET_MASTER: u32 = 8;
const USER_COUNT: u32 = 11;

const TRANSFORM_UPDATE: u32 = 2;
const CHAT_SEND: u32 = 9;
const CHARACTER_UPDATE: u32 = 12;
const NAME_CHANGE: u32 = 13;
const AVATAR_CHANGE: u32 = 14;
const PRIVATE_CHAT: u32 = 15;
const VC_REGISTER: u32 = 16;
const VOICE_STATE: u32 = 18;
const APPL_SPECIFIC: u32 = 10_000;

const AURA: u8 = 0;
const AURA_OTHERS: u8 = 1;
const SPECIFIC: u8 = 2;
const ALL: u8 = 3;

const HELLO: &[u8] = b"hello\x01\x01";
const REFUSAL: &[u8] = b"reject\0\0\0\0\0\0\0\0";

fn millis(time: u64) -> Duration {
    Duration::from_millis(time)
}

fn browser() -> Host {
    Host::new(Ipv4Addr::new(192, 168, 1, 14), 128)
}

fn server() -> Host {
    Host::new(Ipv4Addr::new(203, 0, 113, 10), 52)
}

/// One connection, and the clock of the capture.
struct Visit {
    trace: Trace,
    talk: Conversation,
}

impl Visit {
    fn new(trace: Trace, from: u16, to: u16) -> Self {
        let client = Stack { first: BROWSER.first.wrapping_add(u32::from(from) << 12), ..BROWSER };
        let talk = Conversation::new(Link::Ethernet, (browser().port(from), client), (server().port(to), SERVER));
        Visit { trace, talk }
    }

    fn open(&mut self) -> Result {
        self.talk.open(&mut self.trace)?;
        self.wait(3)
    }

    fn wait(&mut self, time: u64) -> Result {
        self.talk.wait(&mut self.trace, millis(time))
    }

    fn client(&mut self, bytes: &[u8]) -> Result {
        self.talk.send(&mut self.trace, Side::Client, bytes)?;
        self.wait(35)
    }

    fn server(&mut self, bytes: &[u8]) -> Result {
        self.talk.send(&mut self.trace, Side::Server, bytes)?;
        self.wait(20)
    }

    fn close(mut self, first: Side) -> Result<Trace> {
        self.talk.close(&mut self.trace, first)?;
        self.trace.wait(millis(120));
        Ok(self.trace)
    }

    /// Hello, its reply, and the messages until the world is loaded.
    fn enter(&mut self) -> Result {
        self.open()?;
        self.client(HELLO)?;
        self.server(&hello_reply(0, 0, ME))?;
        self.client(&general([ME, 0], NEW_USER, &texts(&["Alice", "avtwrl/01cat.wrl"]))?)?;
        let mut login = general([0, ME], CLIENT_ID, &ME.to_be_bytes())?;
        login.extend(general([ME; 2], SET_MASTER, &[1])?);
        login.extend(joined(ALICE, "avtwrl/01cat.wrl", "Alice")?);
        login.extend(general([ME; 2], BROADCAST_ID, &ALICE.to_be_bytes())?);
        login.extend(user_count(3)?);
        self.server(&login)?;
        let mut others = joined(BO, "avtwrl/02dog.wrl", "Bo")?;
        others.extend(joined(CARO, "avtwrl/05robot.wrl", "Caro")?);
        self.server(&others)
    }
}

fn hello_reply(pad: u8, unknown: i32, connection: i32) -> Vec<u8> {
    [&b"hello"[..], &[pad], &unknown.to_be_bytes(), &connection.to_be_bytes()].concat()
}

/// `0 | id1:4 | id2:4 | opcode:4 | size:4 | content`
fn general([id1, id2]: [i32; 2], opcode: u32, content: &[u8]) -> Result<Vec<u8>> {
    let size = u32::try_from(content.len())?;
    Ok([&[0][..], &id1.to_be_bytes(), &id2.to_be_bytes(), &opcode.to_be_bytes(), &size.to_be_bytes(), content].concat())
}

fn texts(texts: &[&str]) -> Vec<u8> {
    texts.iter().flat_map(|text| [text.as_bytes(), &[0]].concat()).collect()
}

/// The avatar precedes the name here.
fn joined(id: i32, avatar: &str, name: &str) -> Result<Vec<u8>> {
    general([ME; 2], USER_JOINED, &[&id.to_be_bytes()[..], &id.to_be_bytes(), &texts(&[avatar, name])].concat())
}

fn user_count(count: i32) -> Result<Vec<u8>> {
    general([0, ME], USER_COUNT, &[&[1][..], &count.to_be_bytes()].concat())
}

/// `id:4 | type:4 | strategy:1 | rest`
fn common(id: i32, kind: u32, strategy: u8, rest: &[u8]) -> Result<Vec<u8>> {
    general([ME; 2], COMMON, &[&id.to_be_bytes()[..], &kind.to_be_bytes(), &[strategy], rest].concat())
}

fn chat(id: i32, text: &str) -> Result<Vec<u8>> {
    common(id, CHAT_SEND, AURA, &texts(&[text]))
}

fn private(to: i32, from: i32, text: &str) -> Result<Vec<u8>> {
    common(to, PRIVATE_CHAT, SPECIFIC, &[&from.to_be_bytes()[..], &texts(&[text])].concat())
}

/// A call of an event in a shared script.
fn call(id: i32, kind: u32, strategy: u8, method: &str, text: &str, number: i32) -> Result<Vec<u8>> {
    common(id, kind, strategy, &[&[2][..], &texts(&[method, text]), &number.to_be_bytes()].concat())
}

/// A fixed-point number.
#[allow(clippy::cast_possible_truncation, reason = "worlds are small")]
fn real(number: f64) -> [u8; 4] {
    ((number * 65_535.0).round() as i32).to_be_bytes()
}

fn position(id: i32, place: [f64; 3]) -> Vec<u8> {
    let ids = [ME, ME, id].map(i32::to_be_bytes).concat();
    [&[2][..], &ids, &place.map(real).concat(), &[0, 1]].concat()
}

/// A rotation about the vertical axis by this many degrees.
fn transform(id: i32, degrees: f64, place: [f64; 3]) -> Result<Vec<u8>> {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let matrix = [cos, 0.0, sin, 0.0, 1.0, 0.0, -sin, 0.0, cos];
    common(id, TRANSFORM_UPDATE, AURA_OTHERS, &[matrix.map(real).concat(), place.map(real).concat()].concat())
}

pub fn session() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    for (port, busy, answer) in [
        (1024, ",,", &b"f,1,http://www.example.com/worlds/list,all.html\0"[..]),
        (1025, "1,full.example.com,5126", b"f,9"),
        (1026, ",,", b"f,0,bureau.example.com,5126\0"),
    ] {
        trace = query_server(trace, port, busy, answer)?;
    }
    trace = refused(trace)?;
    trace = visit(trace)?;
    trace = elsewhere(trace)?;
    for (port, word) in (1031..).zip(["hella", "admin", "vchat"]) {
        trace = other_peer(trace, port, word)?;
    }
    capture::pcap(capture::ETHERNET, &trace.frames())
}

/// A query for the server of a place.
fn query_server(trace: Trace, port: u16, busy: &str, answer: &[u8]) -> Result<Trace> {
    let mut visit = Visit::new(trace, port, LOCATION_PORT);
    visit.open()?;
    let question = format!("f,192.168.1.14,PARK OF EXAMPLES,85.000000,-71.610001,85.000000,{busy}");
    visit.client(&texts(&[&question]))?;
    visit.server(answer)?;
    visit.close(Side::Server)
}

/// The server is full.
fn refused(trace: Trace) -> Result<Trace> {
    let mut visit = Visit::new(trace, 1027, BUREAU_PORT);
    visit.open()?;
    visit.client(HELLO)?;
    visit.server(REFUSAL)?;
    visit.close(Side::Server)
}

/// Alice moves, chats, calls scripts of the world, and falls asleep.
fn visit(trace: Trace) -> Result<Trace> {
    let mut visit = Visit::new(trace, 1028, BUREAU_PORT);
    visit.enter()?;
    visit.client(&common(ALICE, VC_REGISTER, SPECIFIC, &[0, 0, 0, 1, 0])?)?;
    visit.client(&call(NO_OBJECT, APPL_SPECIFIC, SPECIFIC, "startAreaRequest", "", ALICE)?)?;
    visit.server(&call(ALICE, APPL_SPECIFIC, SPECIFIC, "yourStartArea", "85 -71.61 85", ALICE)?)?;
    let mut awake = general([ME; 2], STATE_CHANGE, &[4])?;
    awake.extend(common(ALICE, CHARACTER_UPDATE, AURA_OTHERS, &texts(&["sleep:0 1:000000000000:58:0:"]))?);
    visit.client(&awake)?;
    walk(&mut visit)?;
    talk(&mut visit)?;
    whisper(&mut visit)?;
    scripts(&mut visit)?;
    change(&mut visit)?;
    disconnect(&mut visit)?;
    visit.close(Side::Client)
}

/// Movements of all users; sections start and end anywhere in segments.
fn walk(visit: &mut Visit) -> Result {
    let mut steps = position(ALICE, [85.0, -71.61, 85.5]);
    steps.extend(transform(ALICE, 90.0, [85.0, -71.61, 84.25])?);
    let (first, rest) = steps.split_at(40);
    visit.client(first)?;
    visit.client(rest)?;
    let mut others = position(BO, [84.0, -71.61, 80.0]);
    others.extend(transform(BO, -45.0, [84.0, -71.61, 80.5])?);
    others.extend(position(CARO, [1.0, 0.0, -2.25]));
    visit.server(&others)?;
    // The server moves Alice.
    visit.server(&position(ALICE, [0.5, 0.0, 0.5]))
}

fn talk(visit: &mut Visit) -> Result {
    visit.client(&chat(ALICE, "Alice: hi all")?)?;
    visit.server(&chat(ALICE, "Alice: hi all")?)?;
    visit.server(&chat(BO, "Bo: welcome, Alice")?)?;
    visit.client(&common(ALICE, VOICE_STATE, AURA_OTHERS, &[1, 0, 0, 0, 1, 3])?)?;
    visit.server(&common(BO, VOICE_STATE, AURA_OTHERS, &[1, 0, 0, 0, 1, 2])?)?;
    visit.server(&common(CARO, VOICE_STATE, AURA_OTHERS, &[1, 0, 0, 0, 1, 1])?)
}

fn whisper(visit: &mut Visit) -> Result {
    visit.client(&private(BO, ALICE, "%%REQ")?)?;
    visit.server(&private(ALICE, BO, "%%RINGING")?)?;
    visit.server(&private(ALICE, BO, "%%ACCEPT")?)?;
    visit.client(&private(BO, ALICE, "Alice: who is the robot?")?)?;
    visit.server(&private(ALICE, BO, "Bo: that is Caro")?)?;
    visit.client(&private(BO, ALICE, "%%REQ")?)?;
    visit.server(&private(ALICE, BO, "%%OK")?)?;
    visit.server(&private(ALICE, CARO, "%%REQ")?)?;
    visit.client(&private(CARO, ALICE, "%%BUSY")?)?;
    visit.server(&private(ALICE, BO, "%%END")?)?;
    visit.server(&private(ALICE, CARO, "%%REQ")?)?;
    visit.client(&private(CARO, ALICE, "%%REJECT")?)?;
    // A command that browsers support, but that was never observed.
    visit.server(&private(ALICE, CARO, "%%SILENT")?)
}

/// The master responds to requests; an unassigned type is a call, too.
fn scripts(visit: &mut Visit) -> Result {
    visit.server(&call(NO_OBJECT, APPL_SPECIFIC, SPECIFIC, "broadcastRequest", "", CARO)?)?;
    visit.client(&call(CARO, APPL_SPECIFIC, SPECIFIC, "yourStartArea", "1 0 1", ALICE)?)?;
    visit.client(&call(12, APPL_SPECIFIC, ALL, "phaseState", "3", ALICE)?)?;
    visit.server(&call(12, 10_001, AURA, "phaseState", "4", BO)?)?;
    visit.client(&call(NO_OBJECT, APPL_SPECIFIC, 4, "syncDynamicModule", "door=open", 0)?)?;
    visit.client(&call(NO_OBJECT, APPL_SPECIFIC, 5, "phaseState", "5", ALICE)?)?;
    visit.client(&call(NO_OBJECT, APPL_SPECIFIC, 6, "phaseState", "6", ALICE)?)?;
    visit.server(&common(CARO, 19, AURA, &[0, 0, 0, 5])?)
}

fn change(visit: &mut Visit) -> Result {
    visit.client(&common(ALICE, NAME_CHANGE, AURA_OTHERS, &texts(&["Alicia"]))?)?;
    visit.client(&common(ALICE, AVATAR_CHANGE, AURA_OTHERS, &texts(&["avtwrl/03fox.wrl"]))?)?;
    visit.server(&common(BO, AVATAR_CHANGE, AURA_OTHERS, &texts(&["avtwrl/04bird.wrl"]))?)?;
    visit.server(&common(BO, CHARACTER_UPDATE, AURA_OTHERS, &texts(&["sleep:0 4:11a20b000000:3:2:"]))?)?;
    for medal in [1, 3] {
        let data = format!("sleep:0 5:00000000:12:{medal}:");
        visit.server(&common(CARO, CHARACTER_UPDATE, AURA_OTHERS, &texts(&[&data]))?)?;
    }
    visit.client(&chat(ALICE, "Alicia: new coat")?)
}

fn disconnect(visit: &mut Visit) -> Result {
    let mut gone = general([ME; 2], USER_LEFT, &BO.to_be_bytes())?;
    gone.extend(user_count(2)?);
    visit.server(&gone)?;
    visit.server(&general([ME; 2], SET_MASTER, &[0])?)?;
    visit.wait(2_000)?;
    let mut asleep = general([ME; 2], STATE_CHANGE, &[5])?;
    asleep.extend(common(ALICE, CHARACTER_UPDATE, AURA_OTHERS, &texts(&["sleep:1 3:000000000000:59:0:"]))?);
    visit.client(&asleep)?;
    visit.wait(2_000)?;
    visit.client(&general([ME; 2], STATE_CHANGE, &[3])?)
}

/// A current server, which has one number for everything, on another port.
fn elsewhere(trace: Trace) -> Result<Trace> {
    let mut visit = Visit::new(trace, 1029, OTHER_PORT);
    visit.open()?;
    visit.client(HELLO)?;
    visit.server(&hello_reply(0x45, 3, 3))?;
    visit.server(&general([0, 0], USER_COUNT, &[1, 0, 0, 0, 2])?)?;
    visit.client(&general([3, 0], NEW_USER, &texts(&["Dora", "avtwrl/06snake.wrl"]))?)?;
    let mut login = general([0, 3], CLIENT_ID, &[0, 0, 0, 3])?;
    login.extend(general([3, 3], BROADCAST_ID, &[0, 0, 0, 3])?);
    login.extend(general([3, 2], USER_JOINED, &[&[0, 0, 0, 2, 0, 0, 0, 2][..], &texts(&["avtwrl/01cat.wrl", "Emil"])].concat())?);
    visit.server(&login)?;
    visit.server(&general(
        [2, 2],
        COMMON,
        &[&[0, 0, 0, 2, 0, 0, 0, 9, 0][..], &texts(&["Emil: \u{3053}\u{3093}\u{306b}\u{3061}\u{306f}"])].concat(),
    )?)?;
    // The same in Shift_JIS, as browsers of the time sent it.
    visit.client(&general([3, 3], COMMON, b"\0\0\0\x03\0\0\0\x09\0Dora: \x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd\0")?)?;
    let mut body = vec![1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
    body.extend(general([3, 3], STATE_CHANGE, &[4])?);
    visit.client(&body)?;
    visit.close(Side::Client)
}

/// An object, an operator, a voice: their messages after hello are undocumented.
fn other_peer(trace: Trace, port: u16, word: &str) -> Result<Trace> {
    let mut visit = Visit::new(trace, port, BUREAU_PORT);
    visit.open()?;
    visit.client(&[word.as_bytes(), &[1, 1]].concat())?;
    visit.server(&hello_reply(0, 0, i32::from(port)))?;
    visit.client(&[0, 0, 0, 1, 0x2a])?;
    visit.close(Side::Client)
}

pub fn damaged() -> Result<Vec<u8>> {
    let mut trace = gap(Trace::new())?;
    for (port, message) in (1040..).zip(wrong()?) {
        let mut visit = Visit::new(trace, port, BUREAU_PORT + 1);
        visit.enter()?;
        visit.client(&message)?;
        visit.client(&chat(ALICE, "Alice: still here?")?)?;
        trace = visit.close(Side::Client)?;
    }
    capture::pcap(capture::ETHERNET, &trace.frames())
}

/// A segment with one and a half sections is missing in the capture.
fn gap(trace: Trace) -> Result<Trace> {
    let mut visit = Visit::new(trace, 1030, BUREAU_PORT);
    visit.enter()?;
    let mut song = Vec::new();
    for verse in 1..10 {
        song.extend(chat(BO, &format!("Bo: verse {verse}{}", " tra la la".repeat(40)))?);
        song.extend(position(BO, [84.0, -71.61, 80.0 + f64::from(verse) / 4.0]));
    }
    visit.talk.send_badly(&mut visit.trace, Side::Server, &song, &[Mishap::Missed(1)])?;
    visit.wait(20)?;
    for text in ["Bo: did you", "Bo: hear me", "Bo: sing?"] {
        visit.server(&chat(BO, text)?)?;
    }
    visit.close(Side::Client)
}

/// Malformed messages, one session each; after the last two, framing of the direction is lost.
fn wrong() -> Result<Vec<Vec<u8>>> {
    let large = format!("Alice: {}", "la ".repeat(400));
    let mut short = common(ALICE, TRANSFORM_UPDATE, AURA_OTHERS, &[0; 20])?;
    short.extend(general([ME; 2], COMMON, &[])?);
    let mut strange = common(ALICE, CHAT_SEND, 9, &texts(&["Alice: to whom?"]))?;
    strange.extend(general([ME; 2], STATE_CHANGE, &[9])?);
    strange.extend(general([ME; 2], USER_COUNT, &[1, 0, 0, 0, 9])?);
    strange.extend(general([ME; 2], 99, &[0xde, 0xad])?);
    strange.extend(general([ME; 2], SET_MASTER, &[0, 0, 0, 1, 0, 9])?);
    let endless = common(ALICE, NAME_CHANGE, AURA_OTHERS, b"Alic")?;
    let ids = [ME; 2].map(i32::to_be_bytes).concat();
    let huge = [&[0][..], &ids, &COMMON.to_be_bytes(), &0x7fff_ffff_u32.to_be_bytes(), &[0, 0, 0x12, 0x34]].concat();
    Ok(vec![short, strange, endless, chat(ALICE, &large)?, huge, b"GET /".to_vec()])
}

/// A session whose capture starts late.
pub fn midstream() -> Result<Vec<u8>> {
    let mut visit = Visit::new(Trace::new(), 1050, BUREAU_PORT + 2);
    visit.enter()?;
    let started = visit.trace.now;
    walk(&mut visit)?;
    talk(&mut visit)?;
    let frames = visit.close(Side::Client)?.frames();
    let heard: Vec<Frame> = frames.into_iter().filter(|frame| frame.time >= started).collect();
    capture::pcap(capture::ETHERNET, &heard)
}
