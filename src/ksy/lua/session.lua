-- Session variables: what a message leaves for later ones of its conversation. A frame that is read again finds the values that
-- each of its messages was read with.

-- Functions of first values; the bits of integers and whether they are signed; variables of a direction; those that count.
local initial, widths, per_direction, counters = {}, {}, {}, {}
-- The parameters of roots by type, and what is read once for each direction.
local parameters, openings = {}, {}

local udp_stream = Field.new("udp.stream")
local conversations, snapshots = {}, {}
-- The conversation and the side of the frame, 0 for the client; the values of the message; what it changes.
local conversation, side, frame, values, effects = nil, 0, "", {}, {}

-- A variable is its first value until it is set.
local vars = setmetatable({}, { __index = function(_, name)
  local value = values[name]
  if value == nil and initial[name] then return initial[name]() end
  return value
end })

local function wrapped(name, value)
  local width = widths[name]
  if not width or type(value) ~= "number" then return value end
  value = value % 2 ^ width[1]
  return width[2] and value >= 2 ^ (width[1] - 1) and value - 2 ^ width[1] or value
end

local function set(name, value)
  for of = 0, 1 do
    if of == side or not per_direction[name] then conversation[of][name] = wrapped(name, value) end
  end
end

-- From the next message on, these sides send what this script cannot read, or can read again.
local function seal(client, server, is_sealed)
  if client then conversation[0].is_sealed = is_sealed end
  if server then conversation[1].is_sealed = is_sealed end
end

-- What a message changes counts once it is complete.
local function effect(change)
  table.insert(effects, change)
end

-- The conversation of a frame.
local function enter(pinfo)
  local stream = pinfo.port_type == TCP and tcp_stream() or udp_stream()
  local from = tostring(pinfo.src) .. " " .. pinfo.src_port
  local to = tostring(pinfo.dst) .. " " .. pinfo.dst_port
  local name = stream and tostring(stream.value) or (from < to and from .. " " .. to or to .. " " .. from)
  name = pinfo.port_type .. " " .. name
  conversation = conversations[name] or { client = from, [0] = { pd_index = 0 }, [1] = { pd_index = 0 } }
  conversations[name] = conversation
  if pinfo.src_port ~= pinfo.dst_port and pinfo.dst_port == pinfo.match then conversation.client = from end
  if pinfo.src_port ~= pinfo.dst_port and pinfo.src_port == pinfo.match then conversation.client = to end
  side = from == conversation.client and 0 or 1
  frame = tostring(pinfo.number)
  for of = 0, 1 do conversation[of].pd_dir = of end
  conversation[side].pd_src_port, conversation[side].pd_dst_port = pinfo.src_port, pinfo.dst_port
end

-- Gives a root the values that it has as parameters, apart from those that this script cannot compute.
local function supply(this, of)
  for _, name in ipairs(of and parameters[of.name] or {}) do
    local is_fine, value = pcall(function() return vars[name] end)
    rawset(this, name, is_fine and value or nil)
  end
end

-- What a message was read with, by frame and place.
local function key_of(read, tvb, at)
  return table.concat({ frame, tvb:offset(), at, openings[read] and "once" or "message" }, " ")
end

local plain_new, plain_measured, plain_shown = new, measured, shown

function new(of, reader, io, arguments, parent)
  local this = plain_new(of, reader, io, arguments, parent)
  if not reader and not arguments then supply(this, of) end
  return this
end

function measured(read, this, tvb, at, is_growing)
  values, effects = snapshots[key_of(read, tvb, at)] or conversation[side], {}
  if values.is_sealed then return nil end
  supply(this, this._of)
  return plain_measured(read, this, tvb, at, is_growing)
end

function shown(read, this, tvb, at, tree)
  local key = key_of(read, tvb, at)
  local is_again = snapshots[key] ~= nil
  if not is_again then
    local copy = {}
    for name, value in pairs(conversation[side]) do copy[name] = value end
    snapshots[key] = copy
  end
  values, effects = snapshots[key], {}
  if values.is_sealed then
    note(tree, { reason = "a cipher or compression that this script does not have" })
    return nil
  end
  supply(this, this._of)
  local message, taken = plain_shown(read, this, tvb, at, tree)
  local changes, before = effects, values
  effects = {}
  if not is_again then
    values = conversation[side]
    for _, change in ipairs(changes) do pcall(change) end
    if not openings[read] then values.pd_index = values.pd_index + 1 end
    for name in pairs(counters) do set(name, vars[name] + 1) end
    values = before
  end
  return message, taken
end
