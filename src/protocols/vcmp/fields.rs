//! The fields, the names of values, and the notes.

use super::words::{file_value, nothing, parts_value};
use crate::tree::{Names, fields};

pub(super) const CLIENT_VERSIONS: Names = &[(67_000, "rel004"), (67_400, "rel006"), (67_700, "0.4.7.0"), (67_710, "0.4.7.1")];

pub(super) const ROLES: Names = &[(0, "boat driver"), (0x11, "passenger"), (0x12, "driver")];

pub(super) const CLASSES: Names = &[(0, "current"), (1, "next"), (255, "previous")];

pub(super) const STYLES: Names = &[(1, "normal"), (2, "jump"), (3, "fall from bike")];

pub(super) const BODY_PARTS: Names =
    &[(1, "torso"), (2, "head"), (3, "left arm"), (4, "right arm"), (7, "left leg"), (8, "right leg"), (255, "body")];

pub(super) const CAUSES: Names = &[(44, "fall"), (70, "suicide")];

pub(super) const NOBODY: Names = &[(255, "nobody")];

pub(super) const EVENTS: Names = &[(0, "leave"), (0x80, "enter")];

pub(super) const FREEZES: Names = &[(0x10_6200, "freeze"), (0x10_6300, "unfreeze")];

fields! {
    VCMP = protocol("vcmp", "VC:MP", "Vice City: Multiplayer")
        .covers("Messages of releases rel004 to 0.4.7.1 over RakNet, from the connection to script data, compressed blocks included")
        .leaves_open("The fields of sync messages of other releases than rel006");
    VERSION = text("vcmp.version", "version", "Which release the two sides speak");
    MESSAGE_ID = number("vcmp.message_id", "message id", "Kind of the message, by release and direction").hex(2);
    UNKNOWN = bytes("vcmp.unknown", "unknown", "Bytes that nobody knows the meaning of");
    UNPARSED = bytes("vcmp.unparsed", "unparsed", "Bytes that are not understood");
    PADDING = number("vcmp.padding", "padding", "Bits up to the next byte");
    ZERO_BIT = number("vcmp.zero_bit", "zero bit", "A bit that is 0");
    RAW = number("vcmp.raw", "raw", "The number sent").hex(4);

    PLAYER_ID = number("vcmp.player_id", "player id", "Slot of the player");
    VEHICLE_ID = number("vcmp.vehicle_id", "vehicle id", "Which vehicle");
    OBJECT_ID = number("vcmp.object_id", "object id", "Which object");
    CHECKPOINT_ID = number("vcmp.checkpoint_id", "checkpoint id", "Which checkpoint");
    PICKUP_REF = number("vcmp.pickup_ref", "pickup ref", "Which pickup").hex(8);
    PICKUP_SERIAL = number("vcmp.pickup_serial", "pickup serial", "How often the slot was used before").mask(0xffff_f800);
    PICKUP_ID = number("vcmp.pickup_id", "pickup id", "Slot of the pickup").mask(0x7ff);
    ANTICHEAT_ID = number("vcmp.anticheat_id", "anti-cheat id", "Number that goes up with what a server changes");

    NAME = text("vcmp.name", "name", "What a player is called");
    TEXT_LEN = number("vcmp.text_len", "length", "Bytes of the text");
    TEXT = text("vcmp.text", "text", "What is said");
    REASON = number("vcmp.reason", "reason", "Why a player left");
    TEAM = number("vcmp.team", "team", "Team of the player");
    SKIN = number("vcmp.skin", "skin", "How the player looks");
    RED = number("vcmp.red", "red", "Part of a colour");
    GREEN = number("vcmp.green", "green", "Part of a colour");
    BLUE = number("vcmp.blue", "blue", "Part of a colour");
    ALPHA = number("vcmp.alpha", "alpha", "How little shows through");
    HEALTH = number("vcmp.health", "health", "Health of the player");
    ARMOUR = number("vcmp.armour", "armour", "Armour of the player");
    WEAPON = number("vcmp.weapon", "weapon", "Which weapon");
    AMMO = number("vcmp.ammo", "ammo", "Shots that are left");
    SLOT = number("vcmp.slot", "slot", "Place that a weapon is carried in");
    MAKE_CURRENT = number("vcmp.make_current", "make current", "Whether the weapon is taken into the hand");
    FREEZE = number("vcmp.freeze", "freeze", "Whether the player may move").hex(6).names(FREEZES);
    SEAT_CODE_1 = number("vcmp.seat_code_1", "seat code 1", "First part of what says which seat").hex(2);
    SEAT_CODE_2 = number("vcmp.seat_code_2", "seat code 2", "Second part of what says which seat").hex(2);
    SEAT_ID = number("vcmp.seat_id", "seat id", "Which seat");
    ROLE = number("vcmp.role", "role", "As what the player gets in").hex(2).names(ROLES);
    TIME_RATE = number("vcmp.time_rate", "time rate", "How fast time goes");
    MINUTE = number("vcmp.minute", "minute", "Minute in the game");
    HOUR = number("vcmp.hour", "hour", "Hour in the game");
    WEATHER = number("vcmp.weather", "weather", "Weather in the game");
    TICK_COUNT = number("vcmp.tick_count", "tick count", "Clock of the server");
    INDEX = number("vcmp.index", "index", "Which projectile");
    EXPLOSION_TYPE = number("vcmp.explosion_type", "explosion type", "What explodes");
    ON_GROUND = number("vcmp.on_ground", "on ground", "Whether it explodes on the ground");
    MODEL = number("vcmp.model", "model", "How it looks");
    QUANTITY = number("vcmp.quantity", "quantity", "How much of it there is");
    REPORT_FLAGS = number("vcmp.report_flags", "report flags", "What clients have to report of an object").hex(2);
    TIME = number("vcmp.time", "time", "How long it takes, in milliseconds");
    IS_SPHERE = number("vcmp.is_sphere", "is sphere", "Whether the checkpoint is a sphere");
    RADIUS = float("vcmp.radius", "radius", "Size of the checkpoint");
    VEHICLE_HEALTH = float("vcmp.vehicle_health", "vehicle health", "Health of the vehicle");
    DAMAGE = number("vcmp.damage", "damage", "Which parts of the vehicle are damaged").hex(8);
    CLASS = number("vcmp.class", "class", "Which class of player is shown").names(CLASSES);
    CAUSE = number("vcmp.cause", "cause", "What the player died of").names(CAUSES);
    KILLER_ID = number("vcmp.killer_id", "killer id", "Slot of the player who did it").names(NOBODY);
    BODY_PART = number("vcmp.body_part", "body part", "Where it hit").names(BODY_PARTS);
    ANIMATION = number("vcmp.animation", "animation", "How the player moves");
    STYLE = number("vcmp.style", "style", "How the player gets out").names(STYLES);
    EVENT = number("vcmp.event", "event", "Whether the checkpoint is entered or left").hex(2).names(EVENTS);
    FPS = float("vcmp.fps", "fps", "Pictures a second");

    POSITION = group("vcmp.position", "position", "Where it is").digest(parts_value, nothing);
    POSITION_X = float("vcmp.position.x", "x", "Where it is");
    POSITION_Y = float("vcmp.position.y", "y", "Where it is");
    POSITION_Z = float("vcmp.position.z", "z", "Where it is, upwards");
    TARGET = group("vcmp.target", "target", "Where it goes").digest(parts_value, nothing);
    TARGET_X = float("vcmp.target.x", "x", "Where it goes");
    TARGET_Y = float("vcmp.target.y", "y", "Where it goes");
    TARGET_Z = float("vcmp.target.z", "z", "Where it goes, upwards");
    ROTATION = group("vcmp.rotation", "rotation", "How it is turned").digest(parts_value, nothing);
    ROTATION_X = float("vcmp.rotation.x", "x", "How it is turned, part of a quaternion");
    ROTATION_Y = float("vcmp.rotation.y", "y", "How it is turned, part of a quaternion");
    ROTATION_Z = float("vcmp.rotation.z", "z", "How it is turned, part of a quaternion");
    ROTATION_W = float("vcmp.rotation.w", "w", "How it is turned, part of a quaternion");
    TO_ROTATION = group("vcmp.to_rotation", "to rotation", "How it will be turned").digest(parts_value, nothing);
    TO_ROTATION_X = float("vcmp.to_rotation.x", "x", "How it will be turned, part of a quaternion");
    TO_ROTATION_Y = float("vcmp.to_rotation.y", "y", "How it will be turned, part of a quaternion");
    TO_ROTATION_Z = float("vcmp.to_rotation.z", "z", "How it will be turned, part of a quaternion");
    TO_ROTATION_W = float("vcmp.to_rotation.w", "w", "How it will be turned, part of a quaternion");
    SPEED = group("vcmp.speed", "speed", "How fast it goes").digest(parts_value, nothing);
    SPEED_X = float("vcmp.speed.x", "x", "How fast it goes");
    SPEED_Y = float("vcmp.speed.y", "y", "How fast it goes");
    SPEED_Z = float("vcmp.speed.z", "z", "How fast it goes, upwards");
    DIRECTION = group("vcmp.direction", "direction", "Where it is shot").digest(parts_value, nothing);
    DIRECTION_X = float("vcmp.direction.x", "x", "Where it is shot");
    DIRECTION_Y = float("vcmp.direction.y", "y", "Where it is shot");
    DIRECTION_Z = float("vcmp.direction.z", "z", "Where it is shot, upwards");
    PROJECTILE = group("vcmp.projectile", "projectile", "Seven numbers of a projectile");
    PROJECTILE_PART = float("vcmp.projectile.part", "part", "A number of a projectile");
    ANGLE = float("vcmp.angle", "angle", "Where the player looks, in radians");

    SYNC_FLAGS = number("vcmp.sync.flags", "flags", "What follows").hex(2);
    SYNC_MORE = bool("vcmp.sync.flags.more", "more", "Whether the player crouches or reloads follows").mask(0x80);
    SYNC_WEAPON = bool("vcmp.sync.flags.weapon", "weapon", "A weapon follows").mask(0x40);
    SYNC_KEYS = bool("vcmp.sync.flags.keys", "keys", "Keys and what the player does follow").mask(0x10);
    SYNC_NO_HEALTH = bool("vcmp.sync.flags.no_health", "no health", "The player has no health").mask(0x08);
    SYNC_ARMOUR = bool("vcmp.sync.flags.armour", "armour", "Armour follows").mask(0x04);
    SYNC_SPEED = bool("vcmp.sync.flags.speed", "speed", "A speed follows").mask(0x01);
    DRIVER_FLAGS = number("vcmp.driver.flags", "flags", "What follows").hex(2);
    DRIVER_WEAPON = bool("vcmp.driver.flags.weapon", "weapon", "A weapon follows").mask(0x80);
    DRIVER_ARMOUR = bool("vcmp.driver.flags.armour", "armour", "Armour follows").mask(0x40);
    POSTURE = number("vcmp.posture", "posture", "2 crouching, 8 reloading").hex(1);
    KEYS = number("vcmp.keys", "keys", "Keys that are held").hex(4);
    KEYS_LOW = number("vcmp.keys_low", "keys, low", "Keys that are held").hex(2);
    KEYS_HIGH = number("vcmp.keys_high", "keys, high", "Keys that are held").hex(2);
    ACTION = number("vcmp.action", "action", "What the player does, and in bit 7 another key").hex(3);
    VEHICLE_BITS = number("vcmp.vehicle_bits", "vehicle bits", "Parts of the vehicle's id").hex(2);
    VEHICLE_BITS_LOW = number("vcmp.vehicle_bits_low", "vehicle bits, low", "Parts of the vehicle's id").hex(1);
    HAS_TURRET = number("vcmp.has_turret", "has turret", "Whether a turret follows");
    DRIVER_TYPE = number("vcmp.driver.type", "type", "1 speed, 2 damage, 4 vehicle health follow").hex(1);
    SIGNS = number("vcmp.rotation.signs", "signs", "Parts that are negative: 4 x, 2 y, 1 z, 8 w").hex(1);
    TURRET_X = float("vcmp.turret.x", "turret x", "Where the turret points, in radians");
    TURRET_Y = float("vcmp.turret.y", "turret y", "Where the turret points, in radians");
    AIM_DIRECTION = group("vcmp.aim_direction", "aim direction", "How the player aims, in radians").digest(parts_value, nothing);
    AIM_DIRECTION_X = float("vcmp.aim_direction.x", "x", "How the player aims, in radians");
    AIM_DIRECTION_Y = float("vcmp.aim_direction.y", "y", "How the player aims, in radians");
    AIM_DIRECTION_Z = float("vcmp.aim_direction.z", "z", "How the player aims, in radians");
    AIM = group("vcmp.aim", "aim", "Where the player aims").digest(parts_value, nothing);
    AIM_X = float("vcmp.aim.x", "x", "Where the player aims");
    AIM_Y = float("vcmp.aim.y", "y", "Where the player aims");
    AIM_Z = float("vcmp.aim.z", "z", "Where the player aims, upwards");
    VEHICLE_LOW = number("vcmp.vehicle_low", "vehicle id, low", "Part of the vehicle's id");
    VEHICLE_HIGH = number("vcmp.vehicle_high", "vehicle id, high", "Part of the vehicle's id");
    HAS_ARMOUR = bool("vcmp.has_armour", "has armour", "Whether armour follows");
    UNKNOWN_BIT = bool("vcmp.unknown_bit", "unknown bit", "A bit that nobody knows the meaning of");

    CONNECT_MAGIC = bytes("vcmp.connect.magic", "magic", "What a client begins with");
    CONNECT_VERSION = number("vcmp.connect.version", "version", "Version of the client").names(CLIENT_VERSIONS);
    CONNECT_BUILD = number("vcmp.connect.build", "build", "Build of the client").hex(8);
    CONNECT_NAME = text("vcmp.connect.name", "name", "What the player is called");
    CONNECT_HASHES = bytes("vcmp.connect.hashes", "module hashes", "Digests of the client's parts");
    JOIN_MAX_X = float("vcmp.join.max_x", "max x", "Bounds of the world");
    JOIN_MIN_X = float("vcmp.join.min_x", "min x", "Bounds of the world");
    JOIN_MAX_Y = float("vcmp.join.max_y", "max y", "Bounds of the world");
    JOIN_MIN_Y = float("vcmp.join.min_y", "min y", "Bounds of the world");
    JOIN_HOSTNAME = text("vcmp.join.hostname", "hostname", "What the server is called");
    JOIN_NAME = text("vcmp.join.name", "name", "What the player is called");
    FILE_COUNT = number("vcmp.join.file_count", "file count", "Files of the server's store");
    FILE = group("vcmp.join.file", "file", "A file of the server's store").digest(file_value, nothing);
    FILE_SHA1 = bytes("vcmp.join.file.sha1", "SHA-1", "Digest of the file");
    FILE_SIZE = number("vcmp.join.file.size", "size", "Bytes of the file");
    FILE_NAME = text("vcmp.join.file.name", "name", "What the file is called");
    FILE_FLAG = bool("vcmp.join.file.flag", "flag", "A bit behind the name");
    HAS_URL = number("vcmp.join.has_url", "has URL", "Whether the files are to be had elsewhere");
    URL = text("vcmp.join.url", "URL", "Where the files are to be had");
    NEEDED_COUNT = number("vcmp.store.file_count", "file count", "Files that the client lacks");
    NEEDED_SHA1 = bytes("vcmp.store.sha1", "SHA-1", "Digest of a file that the client lacks");
    DATA_LENGTH = number("vcmp.server_data.length", "length", "Bytes of script data");
    SCRIPT_DATA = bytes("vcmp.server_data.data", "data", "What a script says to the other side");

    VERSION_ASSUMED = info("vcmp.version_assumed", "version assumed", "Nothing says which release the two sides speak");
    SERVER_DATA_OVERRUN = broken("vcmp.expert.server_data_overrun", "script data too long", "More script data than the message has");
    TRUNCATED = broken("vcmp.expert.truncated", "truncated", "A text is longer than the answer to a query");
    COUNT_MISMATCH = odd("vcmp.expert.count_mismatch", "count mismatch", "Fewer names than the answer to a query says");
    BAD_COMPRESSION = broken("vcmp.expert.bad_compression", "bad compression", "A block that cannot be decompressed");
    TRAILING_BYTES = odd("vcmp.expert.trailing_bytes", "trailing bytes", "Bytes behind the script data");
    BAD_MAGIC = odd("vcmp.expert.bad_magic", "bad magic", "Not what a client begins with");
}
