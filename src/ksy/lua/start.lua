-- The type of a port in `pinfo`, and the request for all bytes up to the end of a direction.
local TCP, UNTIL_FIN = 2, 0x0ffffffe

-- Fields by path, names of values by enum, types by name, and paths of objects whose fields are elsewhere.
local fields, names, types, exceptions = {}, {}, {}, {}

local LITTLE, BIG = true, false

local malformed = ProtoExpert.new(root .. ".malformed", "Malformed message", expert.group.MALFORMED, expert.severity.ERROR)
proto.experts = { malformed }

-- Values of 64 bits are objects in Lua; these are their classes, by field.
local wide = {}

-- Declares a field.
local function field(key, label, kind, about, value_names, abbrev)
  local is_integer = kind >= ftypes.UINT8 and kind <= ftypes.INT64
  wide[key] = kind == ftypes.INT64 and Int64 or kind == ftypes.UINT64 and UInt64 or nil
  fields[key] = ProtoField.new(label, abbrev or key, kind, value_names, is_integer and base.DEC or base.NONE, nil, about)
end
