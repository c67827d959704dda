//! Fields, notes and value names.

use crate::tree::{Names, fields};

fields! {
    MINECRAFT = protocol("minecraft", "Minecraft", "Minecraft, Java edition")
        .covers("Handshake, status and login; compression, and encryption with a key; packets of 1.7 to 1.21.11 and 26.1 by name, the most frequent ones with their fields; the ping of versions before 1.7")
        .leaves_open("The content of chunks, items, entity metadata and other packets of the game");
    LENGTH = number("minecraft.length", "length", "Bytes after this number").once();
    ID = number("minecraft.id", "packet id", "Packet type within the current state").once();
    VERSION = number("minecraft.handshake.version", "version", "Protocol version; 763 is 1.20.1").once();
    ADDRESS_LENGTH = number("minecraft.handshake.address_length", "address length", "Bytes that follow").once();
    ADDRESS = text("minecraft.handshake.address", "address", "Hostname or address used by the client").once();
    PORT = number("minecraft.handshake.port", "port", "Port used by the client").once();
    NEXT = number("minecraft.handshake.next_state", "next state", "State requested by the client").names(STATES).once();
    JSON_LENGTH = number("minecraft.json_length", "JSON length", "Bytes that follow").once();
    JSON = text("minecraft.json", "JSON", "Server status, or the reason for a disconnect").once();
    PAYLOAD = number("minecraft.ping.payload", "payload", "Repeated by the response").once();
    NAME_LENGTH = number("minecraft.login.name_length", "name length", "Bytes that follow").once();
    NAME = text("minecraft.login.name", "name", "").once();
    SERVER_ID_LENGTH = number("minecraft.login.server_id_length", "server id length", "Bytes that follow").once();
    SERVER_ID = text("minecraft.login.server_id", "server id", "Empty since 1.7").once();
    KEY_LENGTH = number("minecraft.login.key_length", "key length", "Bytes that follow").once();
    KEY = bytes("minecraft.login.key", "key", "The server's public key").once();
    TOKEN_LENGTH = number("minecraft.login.token_length", "token length", "Bytes that follow").once();
    TOKEN = bytes("minecraft.login.token", "token", "To be encrypted with the public key").once();
    SECRET_LENGTH = number("minecraft.login.secret_length", "secret length", "Bytes that follow").once();
    SECRET = bytes("minecraft.login.secret", "secret", "Shared secret, encrypted with the public key").encrypted().once();
    THRESHOLD = number("minecraft.login.threshold", "threshold", "Minimum size of compressed packets");
    DATA = bytes("minecraft.data", "data", "Undecoded bytes").once();
    DATA_LENGTH = number("minecraft.data_length", "data length", "Bytes of the packet before compression; 0 if it is not compressed").once();
    COMPRESSED = bytes("minecraft.compressed", "compressed", "").once();
    ENCRYPTED = bytes("minecraft.encrypted", "encrypted", "").encrypted().once();
    UUID = bytes("minecraft.login.uuid", "UUID", "").once();
    UUID_LENGTH = number("minecraft.login.uuid_length", "UUID length", "Bytes that follow").once();
    UUID_TEXT = text("minecraft.login.uuid_text", "UUID", "").also("minecraft.login.uuid").once();
    CHANNEL_LENGTH = number("minecraft.plugin.channel_length", "channel length", "Bytes that follow").once();
    CHANNEL = text("minecraft.plugin.channel", "channel", "").once();
    KEEP_ALIVE = number("minecraft.keep_alive", "keep alive", "Repeated by the client").once();
    PING_ID = number("minecraft.ping.id", "id", "Repeated by the client").once();
    CHAT_LENGTH = number("minecraft.chat.length", "text length", "Bytes that follow").once();
    CHAT = text("minecraft.chat.text", "text", "").once();
    CHAT_JSON = text("minecraft.chat.json", "text", "Text component in JSON").once();
    CHAT_NBT = bytes("minecraft.chat.nbt", "text", "Text component in NBT").once();
    CHAT_TAG = number("minecraft.chat.tag", "tag", "Type of the text component").names(&[(8, "string"), (10, "compound")]).once();
    CHAT_POSITION = number("minecraft.chat.position", "position", "").names(CHAT_POSITIONS).once();
    CHAT_OVERLAY = bool("minecraft.chat.overlay", "overlay", "Shown above the inventory bar").once();
    CHAT_SENDER = bytes("minecraft.chat.sender", "sender", "UUID").once();
    CHAT_TIME = number("minecraft.chat.time", "time", "Milliseconds since 1970").once();
    CHAT_SALT = number("minecraft.chat.salt", "salt", "").once();
    LOCALE_LENGTH = number("minecraft.settings.locale_length", "locale length", "Bytes that follow").once();
    LOCALE = text("minecraft.settings.locale", "locale", "").once();
    DISTANCE = number("minecraft.view_distance", "view distance", "In chunks").once();
    SIMULATION = number("minecraft.simulation_distance", "simulation distance", "In chunks").once();
    CHAT_MODE = number("minecraft.settings.chat_mode", "chat mode", "").names(CHAT_MODES).once();
    CHAT_COLORS = bool("minecraft.settings.chat_colors", "chat colors", "").once();
    SKIN_PARTS = number("minecraft.settings.skin_parts", "skin parts", "").hex(2).once();
    MAIN_HAND = number("minecraft.settings.main_hand", "main hand", "").names(MAIN_HANDS).once();
    TEXT_FILTER = bool("minecraft.settings.text_filtering", "text filtering", "").once();
    LISTING = bool("minecraft.settings.listing", "listing", "Shown in the status of the server").once();
    PARTICLES = number("minecraft.settings.particles", "particles", "").names(PARTICLE_MODES).once();
    X = float("minecraft.x", "x", "Blocks to the east").once();
    Y = float("minecraft.y", "y", "Blocks up").once();
    Z = float("minecraft.z", "z", "Blocks to the south").once();
    DX = float("minecraft.dx", "dx", "Movement to the east in blocks").once();
    DY = float("minecraft.dy", "dy", "Movement up in blocks").once();
    DZ = float("minecraft.dz", "dz", "Movement to the south in blocks").once();
    YAW = float("minecraft.yaw", "yaw", "Degrees").once();
    PITCH = float("minecraft.pitch", "pitch", "Degrees").once();
    HEAD_YAW = float("minecraft.head_yaw", "head yaw", "Degrees").once();
    VELOCITY_X = number("minecraft.velocity.x", "velocity x", "1/8000 block per tick").once();
    VELOCITY_Y = number("minecraft.velocity.y", "velocity y", "1/8000 block per tick").once();
    VELOCITY_Z = number("minecraft.velocity.z", "velocity z", "1/8000 block per tick").once();
    ON_GROUND = bool("minecraft.on_ground", "on ground", "").once();
    MOVEMENT = number("minecraft.movement", "movement", "Bits: 1 on the ground, 2 against a wall").hex(2).once();
    RELATIVE = number("minecraft.relative", "relative", "Bits: values that are added to those of the client").hex(2).once();
    TELEPORT = number("minecraft.teleport_id", "teleport id", "Repeated by the client").once();
    DISMOUNT = bool("minecraft.dismount", "dismount", "").once();
    ENTITY = number("minecraft.entity.id", "entity", "").once();
    ENTITY_UUID = bytes("minecraft.entity.uuid", "entity UUID", "").once();
    ENTITY_TYPE = number("minecraft.entity.type", "entity type", "").once();
    ENTITY_DATA = number("minecraft.entity.data", "entity data", "Depends on the entity type").once();
    ENTITY_STATUS = number("minecraft.entity.status", "entity status", "").once();
    ENTITY_COUNT = number("minecraft.entity.count", "entities", "").once();
    ENTITIES = number("minecraft.entity.destroyed", "entity", "");
    CHUNK_X = number("minecraft.chunk.x", "chunk x", "In chunks of 16 blocks").once();
    CHUNK_Z = number("minecraft.chunk.z", "chunk z", "In chunks of 16 blocks").once();
    CHUNK_FULL = bool("minecraft.chunk.full", "full chunk", "").once();
    BLOCK_X = number("minecraft.block.x", "block x", "").once();
    BLOCK_Y = number("minecraft.block.y", "block y", "").once();
    BLOCK_Z = number("minecraft.block.z", "block z", "").once();
    BLOCK_STATE = number("minecraft.block.state", "block state", "").once();
    DIG_STATUS = number("minecraft.dig.status", "status", "").names(DIG_STATUSES).once();
    FACE = number("minecraft.face", "face", "").names(FACES).once();
    HAND = number("minecraft.hand", "hand", "").names(HANDS).once();
    SEQUENCE = number("minecraft.sequence", "sequence", "Of changes to blocks").once();
    WINDOW = number("minecraft.window.id", "window", "0 is the inventory").once();
    WINDOW_STATE = number("minecraft.window.state", "window state", "").once();
    SLOT = number("minecraft.slot", "slot", "").once();
    WORLD_AGE = number("minecraft.time.age", "world age", "In ticks").once();
    DAY_TIME = number("minecraft.time.day", "time of day", "In ticks").once();
    DAY_PASSES = bool("minecraft.time.passes", "time passes", "").once();
    HEALTH = float("minecraft.health", "health", "").once();
    FOOD = number("minecraft.food", "food", "").once();
    SATURATION = float("minecraft.saturation", "saturation", "").once();
    ABILITIES = number("minecraft.abilities.flags", "abilities", "Bits: 1 invulnerable, 2 flying, 4 may fly, 8 creative").hex(2).once();
    FLYING_SPEED = float("minecraft.abilities.flying_speed", "flying speed", "").once();
    WALKING_SPEED = float("minecraft.abilities.walking_speed", "walking speed", "Or the field of view").once();
    PLAYER_ACTION = number("minecraft.player_info.action", "action", "Up to 1.19.2").names(PLAYER_ACTIONS).once();
    PLAYER_ACTIONS_MASK = number("minecraft.player_info.actions", "actions", "Bits, from 1.19.3 on").hex(2).once();
    PLAYER_COUNT = number("minecraft.player_info.count", "players", "").once();
    HARDCORE = bool("minecraft.world.hardcore", "hardcore", "").once();
    GAME_MODE = number("minecraft.world.game_mode", "game mode", "").names(GAME_MODES).once();
    PREVIOUS_MODE = number("minecraft.world.previous_mode", "previous mode", "-1 is none").names(GAME_MODES).once();
    DIMENSION = number("minecraft.world.dimension", "dimension", "").once();
    DIFFICULTY = number("minecraft.world.difficulty", "difficulty", "").names(DIFFICULTIES).once();
    MAX_PLAYERS = number("minecraft.world.max_players", "maximum players", "").once();
    LEVEL_LENGTH = number("minecraft.world.level_type_length", "level type length", "Bytes that follow").once();
    LEVEL = text("minecraft.world.level_type", "level type", "").once();
    WORLD_COUNT = number("minecraft.world.count", "worlds", "").once();
    WORLD_LENGTH = number("minecraft.world.name_length", "name length", "Bytes that follow");
    WORLDS = text("minecraft.world.listed", "world", "A world of the server");
    WORLD = text("minecraft.world.name", "world", "That of the player").once();
    WORLD_TYPE = text("minecraft.world.type", "dimension type", "").once();
    WORLD_TYPE_ID = number("minecraft.world.type_id", "dimension type", "Number in the registry").once();
    SEED = number("minecraft.world.seed", "hashed seed", "Eight bytes of the hash of the seed").hex(16).once();
    REDUCED = bool("minecraft.world.reduced_debug", "reduced debug info", "").once();
    RESPAWN_SCREEN = bool("minecraft.world.respawn_screen", "respawn screen", "").once();
    LIMITED_CRAFTING = bool("minecraft.world.limited_crafting", "limited crafting", "").once();
    LEGACY_KIND = number("minecraft.legacy.id", "packet id", "").hex(2).names(&[(0xfa, "plugin message"), (0xfe, "ping"), (0xff, "kick")]).once();
    LEGACY_PAYLOAD = number("minecraft.legacy.payload", "payload", "1").once();
    LEGACY_TEXT_LENGTH = number("minecraft.legacy.text_length", "text length", "UTF-16 units that follow");
    LEGACY_CHANNEL = text("minecraft.legacy.channel", "channel", "").once();
    LEGACY_LENGTH = number("minecraft.legacy.length", "length", "Bytes that follow").once();
    LEGACY_VERSION = number("minecraft.legacy.version", "version", "Protocol version of the client").once();
    LEGACY_HOST = text("minecraft.legacy.host", "host", "Host name used by the client").once();
    LEGACY_PORT = number("minecraft.legacy.port", "port", "Port used by the client").once();
    LEGACY_TEXT = text("minecraft.legacy.text", "text", "Reason for the end of the connection").once();
    LEGACY_MAGIC = text("minecraft.legacy.magic", "magic", "§1 in front of a status").once();
    LEGACY_PROTOCOL_VERSION = number("minecraft.legacy.protocol", "protocol", "Protocol version of the server").once();
    LEGACY_SERVER_VERSION = text("minecraft.legacy.server_version", "server version", "").once();
    LEGACY_MESSAGE = text("minecraft.legacy.motd", "message of the day", "").once();
    LEGACY_PLAYERS = text("minecraft.legacy.players", "players", "").once();
    LEGACY_MAX_PLAYERS = text("minecraft.legacy.max_players", "maximum players", "").once();
    RESPONSE_TO = number("minecraft.response_to", "request in", "").once();
    TIME = float("minecraft.time", "time", "Seconds since the request").once();
    BAD_COMPRESSION = broken("minecraft.note.compression", "bad compression", "A compressed packet that cannot be decompressed");
    BAD_LENGTH = broken("minecraft.note.data_length", "bad data length", "A packet does not have the length before compression that it states");
    PLUGIN_ID = number("minecraft.login.plugin_id", "message id", "Repeated by the client").once();
    NO_KEY = odd("minecraft.note.no_key", "not deciphered", "The rest of the connection is encrypted with a key that is not known");
    WRONG_KEY = odd("minecraft.note.key", "key does not fit", "What a key deciphers is no login of the protocol");
    BAD_NUMBER = broken("minecraft.note.number", "bad number", "A VarInt of more than five bytes");
}

/// States that a client may request.
pub(super) const STATES: Names = &[(1, "status"), (2, "login"), (3, "transfer")];
const CHAT_POSITIONS: Names = &[(0, "chat"), (1, "system"), (2, "above the inventory bar")];
const CHAT_MODES: Names = &[(0, "all"), (1, "commands"), (2, "hidden")];
const MAIN_HANDS: Names = &[(0, "left"), (1, "right")];
const HANDS: Names = &[(0, "main hand"), (1, "off hand")];
const PARTICLE_MODES: Names = &[(0, "all"), (1, "decreased"), (2, "minimal")];
const FACES: Names = &[(0, "bottom"), (1, "top"), (2, "north"), (3, "south"), (4, "west"), (5, "east")];
const GAME_MODES: Names = &[(0, "survival"), (1, "creative"), (2, "adventure"), (3, "spectator")];
const DIFFICULTIES: Names = &[(0, "peaceful"), (1, "easy"), (2, "normal"), (3, "hard")];
const DIG_STATUSES: Names = &[
    (0, "started"),
    (1, "cancelled"),
    (2, "finished"),
    (3, "drop stack"),
    (4, "drop item"),
    (5, "release item"),
    (6, "swap hands"),
];
const PLAYER_ACTIONS: Names = &[(0, "add"), (1, "game mode"), (2, "latency"), (3, "display name"), (4, "remove")];
