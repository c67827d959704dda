//! Fields with their formatting, value names and notes.

use crate::tree::title::nothing;
use crate::tree::{Names, NodeRef, Value, clean, fields};
use std::fmt::{self, Write};

pub(super) const CLIENT_VERSIONS: Names = &[(67_000, "rel004"), (67_400, "rel006"), (67_700, "0.4.7.0"), (67_710, "0.4.7.1")];

pub(super) const ROLES: Names = &[(0, "boat driver"), (0x11, "passenger"), (0x12, "driver")];

pub(super) const CLASSES: Names = &[(0, "current"), (1, "next"), (255, "previous")];

pub(super) const STYLES: Names = &[(1, "normal"), (2, "jump"), (3, "fall from bike")];

pub(super) const BODY_PARTS: Names =
    &[(1, "torso"), (2, "head"), (3, "left arm"), (4, "right arm"), (7, "left leg"), (8, "right leg"), (255, "body")];

pub(super) const CAUSES: Names = &[(44, "fall"), (70, "suicide")];

pub(super) const NO_PLAYER: Names = &[(255, "nobody")];

pub(super) const EVENTS: Names = &[(0, "leave"), (0x80, "enter")];

pub(super) const FREEZES: Names = &[(0x10_6200, "freeze"), (0x10_6300, "unfreeze")];

fields! {
    VCMP = protocol("vcmp", "VC:MP", "Vice City: Multiplayer")
        .covers("Messages of releases rel004 to 0.4.7.1 over RakNet, from connection setup to script data, including compressed blocks")
        .leaves_open("Fields of sync messages of releases other than rel006");
    VERSION = text("vcmp.version", "version", "Release of the protocol").once();
    MESSAGE_ID = number("vcmp.message_id", "message id", "Message type, by release and direction").hex(2).once();
    UNKNOWN = bytes("vcmp.unknown", "unknown", "Undocumented bytes");
    UNPARSED = bytes("vcmp.unparsed", "unparsed", "Undecoded bytes");
    PADDING = number("vcmp.padding", "padding", "Bits up to the next byte");
    ZERO_BIT = number("vcmp.zero_bit", "zero bit", "Always 0");
    RAW = number("vcmp.raw", "raw", "Number as sent").hex(4);

    PLAYER_ID = number("vcmp.player_id", "player id", "Slot of the player").once();
    VEHICLE_ID = number("vcmp.vehicle_id", "vehicle id", "").once();
    OBJECT_ID = number("vcmp.object_id", "object id", "").once();
    CHECKPOINT_ID = number("vcmp.checkpoint_id", "checkpoint id", "").once();
    PICKUP_REF = number("vcmp.pickup_ref", "pickup ref", "Slot of the pickup and a serial number").hex(8).once();
    PICKUP_SERIAL = number("vcmp.pickup_serial", "pickup serial", "Number of previous uses of the slot").mask(0xffff_f800).once();
    PICKUP_ID = number("vcmp.pickup_id", "pickup id", "Slot of the pickup").mask(0x7ff).once();
    ANTICHEAT_ID = number("vcmp.anticheat_id", "anti-cheat id", "Counter of changes made by the server").once();

    NAME = text("vcmp.name", "name", "").once();
    TEXT_LEN = number("vcmp.text_len", "length", "In bytes");
    TEXT = text("vcmp.text", "text", "").once();
    REASON = number("vcmp.reason", "reason", "").once();
    TEAM = number("vcmp.team", "team", "").once();
    SKIN = number("vcmp.skin", "skin", "Skin ID of the player").once();
    RED = number("vcmp.red", "red", "").once();
    GREEN = number("vcmp.green", "green", "").once();
    BLUE = number("vcmp.blue", "blue", "").once();
    ALPHA = number("vcmp.alpha", "alpha", "Opacity").once();
    HEALTH = number("vcmp.health", "health", "").once();
    ARMOUR = number("vcmp.armour", "armour", "").once();
    WEAPON = number("vcmp.weapon", "weapon", "").once();
    AMMO = number("vcmp.ammo", "ammo", "Remaining ammunition").once();
    SLOT = number("vcmp.slot", "slot", "Weapon slot").once();
    MAKE_CURRENT = number("vcmp.make_current", "make current", "The weapon becomes the current one").once();
    FREEZE = number("vcmp.freeze", "freeze", "The player cannot move").hex(6).names(FREEZES).once();
    SEAT_CODE_1 = number("vcmp.seat_code_1", "seat code 1", "First part of the seat").hex(2).once();
    SEAT_CODE_2 = number("vcmp.seat_code_2", "seat code 2", "Second part of the seat").hex(2).once();
    SEAT_ID = number("vcmp.seat_id", "seat id", "").once();
    ROLE = number("vcmp.role", "role", "Driver or passenger").hex(2).names(ROLES).once();
    TIME_RATE = number("vcmp.time_rate", "time rate", "Speed of game time").once();
    MINUTE = number("vcmp.minute", "minute", "").once();
    HOUR = number("vcmp.hour", "hour", "").once();
    WEATHER = number("vcmp.weather", "weather", "").once();
    TICK_COUNT = number("vcmp.tick_count", "tick count", "Clock of the server").once();
    INDEX = number("vcmp.index", "index", "Index of the projectile").once();
    EXPLOSION_TYPE = number("vcmp.explosion_type", "explosion type", "").once();
    ON_GROUND = number("vcmp.on_ground", "on ground", "The explosion is on the ground").once();
    MODEL = number("vcmp.model", "model", "").once();
    QUANTITY = number("vcmp.quantity", "quantity", "").once();
    REPORT_FLAGS = number("vcmp.report_flags", "report flags", "Events of the object that clients must report").hex(2).once();
    TIME = number("vcmp.time", "time", "Duration in milliseconds").once();
    IS_SPHERE = number("vcmp.is_sphere", "is sphere", "").once();
    RADIUS = float("vcmp.radius", "radius", "Radius of the checkpoint").once();
    VEHICLE_HEALTH = float("vcmp.vehicle_health", "vehicle health", "").once();
    DAMAGE = number("vcmp.damage", "damage", "Damaged parts of the vehicle").hex(8).once();
    CLASS = number("vcmp.class", "class", "").names(CLASSES).once();
    CAUSE = number("vcmp.cause", "cause", "").names(CAUSES).once();
    KILLER_ID = number("vcmp.killer_id", "killer id", "Slot of the killer").names(NO_PLAYER).once();
    BODY_PART = number("vcmp.body_part", "body part", "").names(BODY_PARTS).once();
    ANIMATION = number("vcmp.animation", "animation", "").once();
    STYLE = number("vcmp.style", "style", "How the player leaves the vehicle").names(STYLES).once();
    EVENT = number("vcmp.event", "event", "The checkpoint is entered or left").hex(2).names(EVENTS).once();
    FPS = float("vcmp.fps", "fps", "Frames per second").once();

    POSITION = group("vcmp.position", "position", "").collapsed(parts_value, nothing).once();
    POSITION_X = float("vcmp.position.x", "x", "").once();
    POSITION_Y = float("vcmp.position.y", "y", "").once();
    POSITION_Z = float("vcmp.position.z", "z", "Upward").once();
    TARGET = group("vcmp.target", "target", "").collapsed(parts_value, nothing).once();
    TARGET_X = float("vcmp.target.x", "x", "").once();
    TARGET_Y = float("vcmp.target.y", "y", "").once();
    TARGET_Z = float("vcmp.target.z", "z", "Upward").once();
    ROTATION = group("vcmp.rotation", "rotation", "Rotation as a quaternion").collapsed(parts_value, nothing).once();
    ROTATION_X = float("vcmp.rotation.x", "x", "Component of a quaternion").once();
    ROTATION_Y = float("vcmp.rotation.y", "y", "Component of a quaternion").once();
    ROTATION_Z = float("vcmp.rotation.z", "z", "Component of a quaternion").once();
    ROTATION_W = float("vcmp.rotation.w", "w", "Component of a quaternion").once();
    TO_ROTATION = group("vcmp.to_rotation", "to rotation", "Target rotation as a quaternion").collapsed(parts_value, nothing).once();
    TO_ROTATION_X = float("vcmp.to_rotation.x", "x", "Component of a quaternion").once();
    TO_ROTATION_Y = float("vcmp.to_rotation.y", "y", "Component of a quaternion").once();
    TO_ROTATION_Z = float("vcmp.to_rotation.z", "z", "Component of a quaternion").once();
    TO_ROTATION_W = float("vcmp.to_rotation.w", "w", "Component of a quaternion").once();
    SPEED = group("vcmp.speed", "speed", "").collapsed(parts_value, nothing).once();
    SPEED_X = float("vcmp.speed.x", "x", "").once();
    SPEED_Y = float("vcmp.speed.y", "y", "").once();
    SPEED_Z = float("vcmp.speed.z", "z", "Upward").once();
    DIRECTION = group("vcmp.direction", "direction", "Direction of the shot").collapsed(parts_value, nothing).once();
    DIRECTION_X = float("vcmp.direction.x", "x", "").once();
    DIRECTION_Y = float("vcmp.direction.y", "y", "").once();
    DIRECTION_Z = float("vcmp.direction.z", "z", "Upward").once();
    PROJECTILE = group("vcmp.projectile", "projectile", "Seven numbers of a projectile").once();
    PROJECTILE_PART = float("vcmp.projectile.part", "part", "A number of a projectile");
    ANGLE = float("vcmp.angle", "angle", "Heading of the player in radians").once();

    SYNC_FLAGS = number("vcmp.sync.flags", "flags", "Fields that follow").hex(2).once();
    SYNC_MORE = bool("vcmp.sync.flags.more", "more", "Posture follows").mask(0x80).once();
    SYNC_WEAPON = bool("vcmp.sync.flags.weapon", "weapon", "A weapon follows").mask(0x40).once();
    SYNC_KEYS = bool("vcmp.sync.flags.keys", "keys", "Keys and action follow").mask(0x10).once();
    SYNC_NO_HEALTH = bool("vcmp.sync.flags.no_health", "no health", "").mask(0x08).once();
    SYNC_ARMOUR = bool("vcmp.sync.flags.armour", "armour", "Armour follows").mask(0x04).once();
    SYNC_SPEED = bool("vcmp.sync.flags.speed", "speed", "A speed follows").mask(0x01).once();
    DRIVER_FLAGS = number("vcmp.driver.flags", "flags", "Fields that follow").hex(2).once();
    DRIVER_WEAPON = bool("vcmp.driver.flags.weapon", "weapon", "A weapon follows").mask(0x80).once();
    DRIVER_ARMOUR = bool("vcmp.driver.flags.armour", "armour", "Armour follows").mask(0x40).once();
    POSTURE = number("vcmp.posture", "posture", "2 crouching, 8 reloading").hex(1).once();
    KEYS = number("vcmp.keys", "keys", "Pressed keys").hex(4).once();
    KEYS_LOW = number("vcmp.keys_low", "keys, low", "Pressed keys").hex(2).once();
    KEYS_HIGH = number("vcmp.keys_high", "keys, high", "Pressed keys").hex(2).once();
    ACTION = number("vcmp.action", "action", "Action of the player; bit 7 is a separate key").hex(3).once();
    VEHICLE_BITS = number("vcmp.vehicle_bits", "vehicle bits", "Part of the vehicle ID").hex(2).once();
    VEHICLE_BITS_LOW = number("vcmp.vehicle_bits_low", "vehicle bits, low", "Part of the vehicle ID").hex(1).once();
    HAS_TURRET = number("vcmp.has_turret", "has turret", "Turret angles follow").once();
    DRIVER_TYPE = number("vcmp.driver.type", "type", "1 speed, 2 damage, 4 vehicle health follow").hex(1).once();
    SIGNS = number("vcmp.rotation.signs", "signs", "Negative components: 4 x, 2 y, 1 z, 8 w").hex(1).once();
    TURRET_X = float("vcmp.turret.x", "turret x", "Turret angle in radians").once();
    TURRET_Y = float("vcmp.turret.y", "turret y", "Turret angle in radians").once();
    AIM_DIRECTION = group("vcmp.aim_direction", "aim direction", "Aiming direction in radians").collapsed(parts_value, nothing).once();
    AIM_DIRECTION_X = float("vcmp.aim_direction.x", "x", "Aiming direction in radians").once();
    AIM_DIRECTION_Y = float("vcmp.aim_direction.y", "y", "Aiming direction in radians").once();
    AIM_DIRECTION_Z = float("vcmp.aim_direction.z", "z", "Aiming direction in radians").once();
    AIM = group("vcmp.aim", "aim", "Aimed position").collapsed(parts_value, nothing).once();
    AIM_X = float("vcmp.aim.x", "x", "").once();
    AIM_Y = float("vcmp.aim.y", "y", "").once();
    AIM_Z = float("vcmp.aim.z", "z", "Upward").once();
    VEHICLE_LOW = number("vcmp.vehicle_low", "vehicle id, low", "Part of the vehicle ID").once();
    VEHICLE_HIGH = number("vcmp.vehicle_high", "vehicle id, high", "Part of the vehicle ID").once();
    HAS_ARMOUR = bool("vcmp.has_armour", "has armour", "Armour follows").once();
    UNKNOWN_BIT = bool("vcmp.unknown_bit", "unknown bit", "");

    CONNECT_MAGIC = bytes("vcmp.connect.magic", "magic", "First bytes of a client").once();
    CONNECT_VERSION = number("vcmp.connect.version", "version", "").names(CLIENT_VERSIONS).once();
    CONNECT_BUILD = number("vcmp.connect.build", "build", "").hex(8).once();
    CONNECT_NAME = text("vcmp.connect.name", "name", "").once();
    CONNECT_HASHES = bytes("vcmp.connect.hashes", "module hashes", "Digests of client modules").once();
    JOIN_MAX_X = float("vcmp.join.max_x", "max x", "World bounds").once();
    JOIN_MIN_X = float("vcmp.join.min_x", "min x", "World bounds").once();
    JOIN_MAX_Y = float("vcmp.join.max_y", "max y", "World bounds").once();
    JOIN_MIN_Y = float("vcmp.join.min_y", "min y", "World bounds").once();
    JOIN_HOSTNAME = text("vcmp.join.hostname", "hostname", "Server name").once();
    JOIN_NAME = text("vcmp.join.name", "name", "").once();
    FILE_COUNT = number("vcmp.join.file_count", "file count", "Number of files in the server's store").once();
    FILE = group("vcmp.join.file", "file", "A file in the server's store").collapsed(file_value, nothing).once();
    FILE_SHA1 = bytes("vcmp.join.file.sha1", "SHA-1", "SHA-1 digest of the file");
    FILE_SIZE = number("vcmp.join.file.size", "size", "In bytes");
    FILE_NAME = text("vcmp.join.file.name", "name", "");
    FILE_FLAG = bool("vcmp.join.file.flag", "flag", "A bit after the name");
    HAS_URL = number("vcmp.join.has_url", "has URL", "The files are served from a URL").once();
    URL = text("vcmp.join.url", "URL", "").once();
    NEEDED_COUNT = number("vcmp.store.file_count", "file count", "Number of files missing on the client").once();
    NEEDED_SHA1 = bytes("vcmp.store.sha1", "SHA-1", "SHA-1 digest of a missing file").once();
    DATA_LENGTH = number("vcmp.server_data.length", "length", "In bytes");
    SCRIPT_DATA = bytes("vcmp.server_data.data", "data", "");

    VERSION_ASSUMED = info("vcmp.version_assumed", "version assumed", "The capture does not show the release; it is assumed");
    SERVER_DATA_OVERRUN = broken("vcmp.expert.server_data_overrun", "script data too long", "The script data exceeds the message");
    TRUNCATED = broken("vcmp.expert.truncated", "truncated", "A text exceeds the query response");
    COUNT_MISMATCH = odd("vcmp.expert.count_mismatch", "count mismatch", "Fewer names than the query response declares");
    BAD_COMPRESSION = broken("vcmp.expert.bad_compression", "bad compression", "The block cannot be decompressed");
    TRAILING_BYTES = odd("vcmp.expert.trailing_bytes", "trailing bytes", "Bytes after the script data");
    BAD_MAGIC = odd("vcmp.expert.bad_magic", "bad magic", "Unexpected first bytes of a client");
}

/// Components of a position in alphabetical order, w last.
fn parts_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let of = |name: char| node.children().find(|child| child.field().name.starts_with(name));
    let mut before = "(";
    for part in ['x', 'y', 'z', 'w'].into_iter().filter_map(of) {
        out.write_str(before)?;
        match part.value() {
            Value::Double(number) => write!(out, "{number:.4}")?,
            _ => part.write_value(out)?,
        }
        before = ", ";
    }
    out.write_char(')')
}

/// A file of a server's store.
fn file_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    match node.child(&FILE_NAME) {
        Some(name) => {
            out.write_char('"')?;
            clean(&name.text(), out)?;
            out.write_char('"')
        }
        None => Ok(()),
    }
}
