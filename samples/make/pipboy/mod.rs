//! Sessions of the Fallout 4 Pip-Boy app: complete, damaged, joined midway and over IPv6, and single messages.

mod message;
mod world;

use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use message::{HEARTBEAT, MAP, Map, REFUSED, RESULT, UPDATE, Value};
use world::{GameValue, World};

use crate::Result;
use crate::capture::{self, Frame, Interface, Trace};
use crate::hex;
use crate::net::{self, Endpoint, Host, Link};
use crate::tcp::{Conversation, Delivered, Mishap, Side, Stack};

const GAME_PORT: u16 = 27_000;
const DISCOVERY_PORT: u16 = 28_000;
/// A port that is not registered.
const OTHER_PORT: u16 = 28_123;

/// An Android phone.
const PHONE: Stack = Stack { first: 0x5b7c_1f02, mss: 1460, window: 65_535, window_scale: 8, clock: Some(48_211_904) };
/// Windows without timestamps. Its sequence numbers wrap during the first update.
const PC: Stack = Stack { first: 0xffff_f010, mss: 1460, window: 65_535, window_scale: 8, clock: None };

fn millis(time: u64) -> Duration {
    Duration::from_millis(time)
}

fn phone() -> Host {
    Host::new(Ipv4Addr::new(192, 168, 28, 23), 64)
}

fn tablet() -> Host {
    Host::new(Ipv4Addr::new(192, 168, 28, 31), 64)
}

fn pc() -> Host {
    Host::new(Ipv4Addr::new(192, 168, 28, 10), 128)
}

fn console() -> Host {
    Host::new(Ipv4Addr::new(192, 168, 28, 14), 64)
}

fn everyone() -> Host {
    Host { mac: [0xff; 6], ..Host::new(Ipv4Addr::BROADCAST, 1) }
}

/// A connection of one app to one game, with their transport behavior.
struct Play {
    trace: Trace,
    talk: Conversation,
    commands: u32,
}

impl Play {
    fn new(trace: Trace, talk: Conversation) -> Self {
        Play { trace, talk, commands: 0 }
    }

    fn open(&mut self) -> Result {
        self.talk.open(&mut self.trace)?;
        self.wait(5)
    }

    fn wait(&mut self, time: u64) -> Result {
        self.talk.wait(&mut self.trace, millis(time))
    }

    /// The game writes header and payload with two calls, so they are sent in two segments.
    fn game(&mut self, message: &[u8]) -> Result {
        self.game_badly(message, &[])
    }

    fn game_badly(&mut self, message: &[u8], mishaps: &[Mishap]) -> Result {
        let (header, payload) = message.split_at(message.len().min(5));
        self.talk.send(&mut self.trace, Side::Server, header)?;
        self.talk.send_badly(&mut self.trace, Side::Server, payload, mishaps)?;
        self.wait(2)
    }

    /// Sends complete messages or parts in exactly these segments.
    fn game_segments(&mut self, segments: &[&[u8]]) -> Result {
        for segment in segments {
            self.talk.send(&mut self.trace, Side::Server, segment)?;
            self.wait(3)?;
        }
        Ok(())
    }

    fn app(&mut self, message: &[u8]) -> Result {
        self.talk.send(&mut self.trace, Side::Client, message)?;
        self.wait(2)
    }

    /// Sends a command with the next number, and returns the number.
    fn command(&mut self, kind: u32, args: &str) -> Result<u32> {
        self.commands += 1;
        self.app(&message::command(kind, args, self.commands)?)?;
        self.wait(25)?;
        Ok(self.commands)
    }

    fn result(&mut self, json: &str) -> Result {
        self.game(&message::message(RESULT, json.as_bytes())?)
    }

    fn greet(&mut self) -> Result {
        self.game(&message::greeting()?)
    }

    /// Seconds with heartbeats only.
    fn idle(&mut self, seconds: u32) -> Result {
        let heartbeat = message::message(HEARTBEAT, &[])?;
        for _ in 0..seconds {
            self.app(&heartbeat)?;
            self.wait(430)?;
            self.game(&heartbeat)?;
            self.wait(565)?;
        }
        Ok(())
    }

    /// A small update of existing values.
    fn change(&mut self, world: &World, values: &[(&str, Value)]) -> Result {
        self.game(&change(world, values)?)
    }
}

fn change(world: &World, values: &[(&str, Value)]) -> Result<Vec<u8>> {
    let mut payload = Vec::new();
    for (path, value) in values {
        message::entry(&mut payload, world.id(path)?, value)?;
    }
    message::message(UPDATE, &payload)
}

pub fn session() -> Result<Vec<u8>> {
    let (frames, _) = main_session()?;
    capture::pcap(capture::ETHERNET, &frames)
}

pub fn follow() -> Result<Vec<u8>> {
    let (_, delivered) = main_session()?;
    Ok(hex::follow(&delivered).into_bytes())
}

/// The frames of all sessions, and the byte streams of the main connection.
fn main_session() -> Result<(Vec<Frame>, Vec<Delivered>)> {
    let mut trace = Trace::new();
    discover(&mut trace, phone().port(51_734), &[(pc(), COMPACT), (console(), INDENTED)])?;

    let talk = Conversation::new(Link::Ethernet, (phone().port(41_508), PHONE), (pc().port(GAME_PORT), PC));
    let mut play = Play::new(trace, talk);
    play.open()?;
    play.greet()?;
    play.wait(60)?;
    play.idle(3)?;

    let (mut world, update) = World::first_update(&world::full())?;
    play.game_badly(&update, &[Mishap::Lost(1), Mishap::Overtaken(5)])?;
    play.wait(420)?;
    play.idle(4)?;

    touched(&mut play)?;
    walk(&mut play, &world)?;
    refused(&mut play)?;
    items(&mut play, &mut world)?;
    maps(&mut play, &world)?;
    travel(&mut play, &world)?;
    odd_segments(&mut play, &world)?;

    play.idle(2)?;
    play.talk.close(&mut play.trace, Side::Client)?;
    Ok((play.trace.frames(), play.talk.delivered))
}

const COMPACT: &str = r#"{"IsBusy":false,"MachineType":"PC"}"#;
const BUSY: &str = r#"{"IsBusy":true,"MachineType":"PC"}"#;
const INDENTED: &str = "{\n   \"IsBusy\" : false,\n   \"MachineType\" : \"PS4\"\n}\n";

fn discover(trace: &mut Trace, app: Endpoint, answers: &[(Host, &str)]) -> Result {
    let question = br#"{"cmd":"autodiscover"}"#;
    let packet = net::udp(app, everyone().port(DISCOVERY_PORT), 0x71c0, question)?;
    trace.capture(Link::Ethernet.frame(app.host, everyone(), &packet));
    for (host, text) in answers {
        trace.wait(millis(4));
        let packet = net::udp(host.port(DISCOVERY_PORT), app, 0x0211, text.as_bytes())?;
        trace.capture(Link::Ethernet.frame(*host, app.host, &packet));
    }
    trace.wait(millis(900));
    Ok(())
}

/// The player opens the Pip-Boy.
fn touched(play: &mut Play) -> Result {
    play.command(14, "[]")?;
    play.idle(1)
}

/// Steps, damage, and a menu that opens and closes.
fn walk(play: &mut Play, world: &World) -> Result {
    for (x, y, rotation) in [(-4_298.0, 12_214.5, 121.25), (-4_276.25, 12_221.0, 130.0), (-4_260.5, 12_240.75, 144.5)] {
        play.change(
            world,
            &[
                ("Map.World.Player.X", Value::Float(x)),
                ("Map.World.Player.Y", Value::Float(y)),
                ("Map.World.Player.Rotation", Value::Float(rotation)),
                ("Map.Local.Player.X", Value::Float(x)),
                ("Map.Local.Player.Y", Value::Float(y)),
                ("Map.Local.Player.Rotation", Value::Float(rotation)),
            ],
        )?;
        play.wait(200)?;
    }
    for hp in [98.25, 91.0, 91.5] {
        play.change(world, &[("PlayerInfo.CurrHP", Value::Float(hp))])?;
        play.wait(120)?;
    }
    play.change(world, &[("Status.IsMenuOpen", Value::Bool(true))])?;
    play.idle(2)?;
    play.change(world, &[("Status.IsMenuOpen", Value::Bool(false))])?;
    play.wait(150)
}

/// A second client is rejected, because the game accepts one only.
fn refused(play: &mut Play) -> Result {
    play.idle(1)?;
    discover(&mut play.trace, tablet().port(28_000), &[(pc(), BUSY)])?;
    let tablet_stack = Stack { first: 0x11d0_94e8, ..PHONE };
    let pc_stack = Stack { first: 0x8c02_5db1, ..PC };
    let mut talk = Conversation::new(Link::Ethernet, (tablet().port(39_870), tablet_stack), (pc().port(GAME_PORT), pc_stack));
    talk.open(&mut play.trace)?;
    talk.wait(&mut play.trace, millis(3))?;
    let refusal = message::message(REFUSED, &[])?;
    talk.send(&mut play.trace, Side::Server, &refusal)?;
    talk.wait(&mut play.trace, millis(45))?;
    talk.close(&mut play.trace, Side::Server)?;
    play.wait(5)?;
    play.idle(2)
}

/// Tea is consumed, an umbrella found, a wrench repaired, and the aid list filled.
fn items(play: &mut Play, world: &mut World) -> Result {
    play.command(0, "[4111200021,0,17]")?;
    play.change(
        world,
        &[
            ("Inventory.48[0].count", Value::UInt32(3)),
            ("PlayerInfo.CurrAP", Value::Float(72.5)),
            ("Inventory.Version", Value::UInt32(18)),
        ],
    )?;
    play.wait(300)?;

    // A new item: first the item, then the complete list that contains it.
    let mut payload = Vec::new();
    let found = world.add(&mut payload, "Inventory.43[2]", &world::found_weapon())?;
    let weapons = [world.id("Inventory.43[0]")?, world.id("Inventory.43[1]")?, found];
    message::entry(&mut payload, world.id("Inventory.43")?, &Value::List(&weapons))?;
    play.game(&message::message(UPDATE, &payload)?)?;
    play.command(2, "[4111200077,[0],5,18]")?;
    play.idle(1)?;

    // A member gets a new value: one entry adds the new number and removes the old one.
    let cards = "Inventory.43[0].itemCardInfoList";
    let old = world.id(cards)?;
    let better = GameValue::List(vec![GameValue::Dict(vec![
        ("text", GameValue::Text("$dmg")),
        ("Value", GameValue::Float(21.75)),
        ("ValueType", GameValue::UInt32(2)),
        ("damageType", GameValue::UInt32(1)),
    ])]);
    let mut payload = Vec::new();
    let new = world.add(&mut payload, cards, &better)?;
    let change = Value::Dict(&[(new, "itemCardInfoList")], &[old]);
    message::entry(&mut payload, world.id("Inventory.43[0]")?, &change)?;
    play.game(&message::message(UPDATE, &payload)?)?;
    play.wait(220)?;

    play.command(4, "[0]")?;
    let sorted = [world.id("Inventory.sortedIDS[5]")?, world.id("Inventory.sortedIDS[0]")?, world.id("Inventory.sortedIDS[1]")?];
    play.change(world, &[("Inventory.SortMode", Value::Int32(1)), ("Inventory.sortedIDS", Value::List(&sorted))])?;
    play.command(1, "[4111200077,1,18,[0]]")?;
    play.change(world, &[("Inventory.43", Value::List(weapons.get(..2).unwrap_or_default()))])?;
    play.game_badly(&more_aid(world)?, &[Mishap::Overtaken(0)])?;
    play.idle(1)
}

/// The list of aid items, all new.
fn more_aid(world: &mut World) -> Result<Vec<u8>> {
    let mut payload = Vec::new();
    let mut ids = Vec::new();
    for (index, item) in world::more_aid().iter().enumerate() {
        ids.push(world.add(&mut payload, &format!("Inventory.48[{index}]"), item)?);
    }
    message::entry(&mut payload, world.id("Inventory.48")?, &Value::List(&ids))?;
    message::message(UPDATE, &payload)
}

/// Two pictures requested and sent, and a marker set and removed.
fn maps(play: &mut Play, world: &World) -> Result {
    let corners = [-6_144.0, 13_824.0, -2_048.0, 13_824.0, -6_144.0, 10_752.0];
    play.command(13, "[]")?;
    let picture = Map { width: 40, height: 30, stride: 40, corners, pixel: &boathouse };
    play.game(&message::local_map(&picture)?)?;
    play.idle(1)?;

    play.command(6, "[-4200.5,12032.0,true]")?;
    play.change(
        world,
        &[
            ("Map.Local.Custom.X", Value::Float(-4_200.5)),
            ("Map.Local.Custom.Y", Value::Float(12_032.0)),
            ("Map.Local.Custom.Height", Value::UInt8(1)),
        ],
    )?;
    play.command(13, "[]")?;
    let padded = Map { width: 30, height: 20, stride: 32, ..picture };
    play.game(&message::local_map(&padded)?)?;
    play.command(7, "[]")?;
    play.idle(1)
}

/// Walls, a round hall that is brighter in the middle, and a jetty.
fn boathouse(x: u32, y: u32) -> u8 {
    let from_hall = (x.abs_diff(14).pow(2)) + (y.abs_diff(11).pow(2));
    if x < 2 || y < 2 {
        return 255;
    }
    match from_hall {
        0..64 => u8::try_from(230 - 2 * from_hall).unwrap_or(0),
        64..90 => 200,
        _ if (17..19).contains(&y) => 120,
        _ => 16,
    }
}

/// An invalid and a valid fast travel; the radio; a quest.
fn travel(play: &mut Play, world: &World) -> Result {
    let there = world.id("Map.World.Locations[1]")?;
    let id = play.command(9, &format!("[{there}]"))?;
    play.result(&format!(
        r#"{{"allowed":false,"id":{id},"message":"Too much luggage: leave the piñata at the café first…","success":false}}"#
    ))?;
    play.wait(700)?;
    let id = play.command(8, &format!("[{there}]"))?;
    play.result(&format!(r#"{{"allowed":true,"id":{id},"success":true}}"#))?;
    play.idle(1)?;

    let station = world.id("Radio[0]")?;
    play.command(12, &format!("[{station}]"))?;
    play.change(world, &[("Radio[1].active", Value::Bool(false)), ("Radio[0].active", Value::Bool(true))])?;
    play.command(5, "[1204526,0,8]")?;
    play.change(world, &[("Quests[1].active", Value::Bool(true))])?;
    play.command(3, "[187221,18]")?;
    play.command(14, "[]")?;
    play.idle(1)
}

/// Segments that end inside messages, and messages that end inside segments.
fn odd_segments(play: &mut Play, world: &World) -> Result {
    let caps = change(world, &[("PlayerInfo.Caps", Value::Int32(498))])?;
    let (start, rest) = caps.split_at(3);
    play.game_segments(&[start, rest])?;
    play.wait(80)?;
    let mut three = message::message(HEARTBEAT, &[])?;
    three.extend(change(world, &[("PlayerInfo.DateDay", Value::Int8(25))])?);
    three.extend(change(world, &[("PlayerInfo.TimeHour", Value::Float(0.016_666_668))])?);
    play.game_segments(&[&three])
}

/// A segment missing in the capture, then every kind of malformed message.
pub fn damaged() -> Result<Vec<u8>> {
    let talk = Conversation::new(Link::Ethernet, (phone().port(41_510), PHONE), (pc().port(GAME_PORT), PC));
    let mut play = Play::new(Trace::new(), talk);
    play.open()?;
    play.greet()?;
    play.idle(1)?;
    let (mut world, update) = World::first_update(&world::small())?;
    play.game(&update)?;
    play.idle(1)?;
    play.game_badly(&more_aid(&mut world)?, &[Mishap::Missed(1)])?;
    play.idle(1)?;

    let menu = world.id("Status.IsMenuOpen")?.to_le_bytes();
    let mut good_then_bad = vec![0];
    good_then_bad.extend(menu);
    good_then_bad.push(1);
    let mut unknown_type = good_then_bad.clone();
    unknown_type.extend([9, 200, 0, 0, 0, 1]);
    let mut stray = vec![0];
    stray.extend(menu);
    stray.extend([2, 5, 200]);
    for (kind, payload) in [
        (UPDATE, b"\x06\xc8\x00\x00\x00no end".to_vec()),
        (UPDATE, b"\x07\xc8\x00\x00\x00\xff\xff\x01\x00\x00\x00".to_vec()),
        (UPDATE, unknown_type),
        (HEARTBEAT, vec![1, 2]),
        (UPDATE, b"\x08\xc8\x00\x00\x00\x02\x00\x05\x00\x00\x00Lamp\x00\x00\x00".to_vec()),
        (MAP, odd_map()),
        (UPDATE, stray),
    ] {
        play.game(&message::message(kind, &payload)?)?;
        play.wait(60)?;
        // The header is valid, so the start of the next message is known.
        play.change(&world, &[("PlayerInfo.CurrHP", Value::Float(77.5))])?;
        play.idle(1)?;
    }

    // After an invalid length, message boundaries are unknown.
    play.game(&[0xff, 0xff, 0xff, 0xff, UPDATE, 0, 200])?;
    play.change(&world, &[("PlayerInfo.CurrHP", Value::Float(78.0))])?;
    play.wait(90)?;
    play.talk.close(&mut play.trace, Side::Client)?;
    capture::pcap(capture::ETHERNET, &play.trace.frames())
}

/// Three by two pixels, but seven bytes.
fn odd_map() -> Vec<u8> {
    let mut payload = Vec::new();
    payload.extend(3_u32.to_le_bytes());
    payload.extend(2_u32.to_le_bytes());
    payload.extend([0; 24]);
    payload.extend([10, 20, 30, 40, 50, 60, 70]);
    payload
}

/// The capture starts during the first update.
pub fn midstream() -> Result<Vec<u8>> {
    let talk = Conversation::new(Link::Ethernet, (phone().port(41_512), PHONE), (pc().port(GAME_PORT), PC));
    let mut play = Play::new(Trace::new(), talk);
    play.open()?;
    play.greet()?;
    play.idle(1)?;
    // The update takes eight segments, one every eighth of a millisecond.
    let started = play.trace.now + Duration::from_micros(700);
    let (mut world, update) = World::first_update(&world::full())?;
    play.game(&update)?;
    play.wait(500)?;
    play.idle(2)?;
    walk(&mut play, &world)?;
    items(&mut play, &mut world)?;
    play.idle(1)?;

    let frames = play.trace.frames();
    let heard: Vec<Frame> = frames.into_iter().filter(|frame| frame.time >= started).collect();
    capture::pcap(capture::ETHERNET, &heard)
}

/// The game with port forwarding, once in a VLAN and once through a tunnel.
pub fn ipv6() -> Result<Vec<u8>> {
    let game = Host::new(Ipv6Addr::new(0x2001, 0xdb8, 28, 0, 0, 0, 0, 0x10), 64);
    let at_home = Host::new(Ipv6Addr::new(0x2001, 0xdb8, 28, 0, 0, 0, 0, 0x23), 64);
    let outside = Host::new(Ipv6Addr::new(0x2001, 0xdb8, 99, 0, 0, 0, 0, 0x24), 57);
    let linux = Stack { first: 0x3f20_aa61, mss: 1440, clock: Some(902_114_730), ..PHONE };
    let tunnelled = Stack { mss: 1340, ..linux };

    // Nanoseconds that are no multiple of a microsecond.
    let mut trace = Trace::new();
    trace.wait(Duration::from_nanos(123_456_789));
    let mut home =
        Play::new(trace, Conversation::new(Link::Vlan(20), (at_home.port(41_514), PHONE), (game.port(OTHER_PORT), linux)));
    short_session(&mut home)?;

    let mut trace = Trace::new();
    trace.wait(Duration::from_nanos(12_500_000_321));
    let mut away =
        Play::new(trace, Conversation::new(Link::Raw, (outside.port(41_516), tunnelled), (game.port(OTHER_PORT), tunnelled)));
    short_session(&mut away)?;

    capture::pcapng(
        "",
        &[
            Interface { name: "eth0", link: capture::ETHERNET, frames: home.trace.frames() },
            Interface { name: "tun0", link: capture::RAW, frames: away.trace.frames() },
        ],
    )
}

fn short_session(play: &mut Play) -> Result {
    play.open()?;
    play.greet()?;
    play.wait(60)?;
    play.idle(1)?;
    let (world, update) = World::first_update(&world::small())?;
    play.game(&update)?;
    play.idle(2)?;
    play.change(&world, &[("PlayerInfo.CurrHP", Value::Float(12.5))])?;
    play.command(0, "[4111200022,0,1]")?;
    play.change(&world, &[("PlayerInfo.CurrHP", Value::Float(62.5)), ("Inventory.48[1].count", Value::UInt32(5))])?;
    play.idle(1)?;
    play.talk.reset(&mut play.trace, Side::Client)
}

/// One Ethernet frame with a complete greeting.
pub fn greeting() -> Result<Vec<u8>> {
    let mut trace = Trace::new();
    let mut talk = Conversation::new(Link::Ethernet, (phone().port(41_518), PHONE), (pc().port(GAME_PORT), PC));
    talk.open(&mut trace)?;
    talk.send(&mut trace, Side::Server, &message::greeting()?)?;
    let frames = trace.frames();
    let frame = frames.last().ok_or("nothing was sent")?;
    Ok(hex::xxd(&frame.bytes).into_bytes())
}

/// The smallest update: a menu opens.
pub fn update() -> Result<Vec<u8>> {
    let mut payload = Vec::new();
    message::entry(&mut payload, 23, &Value::Bool(true))?;
    Ok(hex::pairs(&message::message(UPDATE, &payload)?).into_bytes())
}
