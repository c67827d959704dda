-- Streams: a part of a Tvb with a position. `left` counts bits of the byte before `at` that are not read yet.

local function stream(tvb, from, to, grows)
  return { tvb = tvb, from = from, at = from, to = to, left = 0, grows = grows }
end

-- Stops reading; the reason is shown in the tree.
local function fail(reason)
  error({ reason = reason }, 0)
end

-- Makes sure that so many bytes are left. A stream that grows may get them with a later segment.
local function need(io, size)
  if io.at + size <= io.to then return end
  if io.grows then error({ more = io.at + size - io.to }, 0) end
  fail(string.format("%d bytes needed, %d left", size, io.to - io.at))
end

-- Moves behind so many bytes and returns where they begin.
local function take(io, size)
  if size < 0 then fail(string.format("the size is %d", size)) end
  io.left = 0
  need(io, size)
  io.at = io.at + size
  return io.at - size
end

local function eof(io)
  return io.at >= io.to and io.left == 0
end

-- Elements and objects of a dissection, so that no input takes for ever.
local work = 0
local MOST_WORK = 1000000

local function count_work()
  work = work + 1
  if work > MOST_WORK then fail("more than " .. MOST_WORK .. " values") end
end

-- While instances are shown, the parts of the whole message that they take.
local apart

local function taken(tvb, at, size)
  if apart then table.insert(apart, { tvb = tvb, from = at, to = at + size }) end
end

-- Adds a value to the tree. Without a tree, messages are only measured.
local function show(tree, key, tvb, at, size, value)
  if not tree then return end
  if wide[key] then value = wide[key].new(value) end
  tree:add(fields[key], tvb(at, size), value)
  taken(tvb, at, size)
end

-- Adds bytes as they are.
local function show_bytes(tree, key, tvb, at, size)
  if not tree then return end
  tree:add(fields[key], tvb(at, size))
  taken(tvb, at, size)
end

-- Shows a value that is calculated, not read; of a list each element.
local calculated

function calculated(tree, key, value)
  if tree and type(value) == "table" then
    for at = 1, value.n do calculated(tree, key, value[at]) end
  elseif tree and value ~= nil then
    tree:add(fields[key], wide[key] and wide[key].new(value) or value):set_generated()
  end
  return value
end

-- The same for bytes, which Wireshark shows of a buffer only.
local function calculated_bytes(tree, key, value)
  if tree and value and #value > 0 then
    tree:add(fields[key], ByteArray.new(value, true):tvb("calculated")()):set_generated()
  end
  return value
end

local function integer(io, tree, key, size, is_signed, is_little)
  local at = take(io, size)
  local range = io.tvb(at, size)
  if size == 8 then
    local value
    if is_signed then value = is_little and range:le_int64() or range:int64()
    else value = is_little and range:le_uint64() or range:uint64() end
    show(tree, key, io.tvb, at, size, value)
    -- Expressions calculate with floating-point numbers, which are exact up to 2^53.
    return value:tonumber()
  end
  local value
  if is_signed then value = is_little and range:le_int() or range:int()
  else value = is_little and range:le_uint() or range:uint() end
  show(tree, key, io.tvb, at, size, value)
  return value
end

local function unsigned(io, tree, key, size, is_little)
  return integer(io, tree, key, size, false, is_little)
end

local function signed(io, tree, key, size, is_little)
  return integer(io, tree, key, size, true, is_little)
end

local function float(io, tree, key, size, is_little)
  local at = take(io, size)
  local range = io.tvb(at, size)
  local value = is_little and range:le_float() or range:float()
  show(tree, key, io.tvb, at, size, value)
  return value
end

-- An unsigned integer of bits. Big-endian bits begin with the highest bit of a byte, little-endian ones with the lowest.
local function bits(io, tree, key, width, is_little, is_boolean)
  local first = io.left > 0 and io.at - 1 or io.at
  local taken = io.left > 0 and 8 - io.left or 0
  local size = math.ceil((taken + width) / 8)
  io.left = 0
  need(io, first + size - io.at)
  -- The lowest 32 bits and those above, so that neither is rounded.
  local low, high, done = 0, 0, 0
  for at = first, first + size - 1 do
    local byte = io.tvb(at, 1):uint()
    for _ = 1, math.min(8 - taken, width - done) do
      local one = math.floor(byte / 2 ^ (is_little and taken or 7 - taken)) % 2
      local place = is_little and done or width - 1 - done
      if place < 32 then low = low + one * 2 ^ place else high = high + one * 2 ^ (place - 32) end
      done, taken = done + 1, taken + 1
    end
    taken = taken % 8
  end
  io.at, io.left = first + size, (8 - taken) % 8
  local value = math.floor(high * 2 ^ 32 + low)
  if is_boolean then value = value ~= 0 end
  show(tree, key, io.tvb, first, size, high > 0 and UInt64.new(low, high) or value)
  return value
end

-- Parts: bytes that were taken. `size` counts all of them, `len` those of the value.

-- The value of a part without padding, or up to a terminator inside.
local function strip(part, pad, terminator, includes)
  if part.len == 0 or not (pad or terminator) then return part end
  local raw = part.tvb:raw(part.at, part.len)
  for at = 1, terminator and #raw or 0, terminator and #terminator or 1 do
    if raw:sub(at, at + #terminator - 1) == terminator then
      part.len = at - 1 + (includes and #terminator or 0)
      return part
    end
  end
  while pad and part.len > 0 and raw:byte(part.len) == pad do part.len = part.len - 1 end
  return part
end

-- A known number of bytes.
local function sized(io, size, pad, terminator, includes)
  local at = take(io, size)
  return strip({ tvb = io.tvb, at = at, size = size, len = size }, pad, terminator, includes)
end

-- All bytes up to the end of the stream.
local function rest(io, pad, terminator, includes)
  return sized(io, io.to - io.at, pad, terminator, includes)
end

-- Bytes up to a terminator, which is searched in blocks of growing size.
local function terminated(io, terminator, includes, stays, may_lack)
  io.left = 0
  local width, block = #terminator, 256
  local at, found = io.at, nil
  while not found and io.to - at >= width do
    local size = math.min(block, io.to - at)
    size = size - size % width
    local raw = io.tvb:raw(at, size)
    local place = raw:find(terminator, 1, true)
    while place and (place - 1) % width ~= 0 do place = raw:find(terminator, place + 1, true) end
    if place then found = at + place - 1 else at, block = at + size, block * 2 end
  end
  local start = io.at
  if not found then
    if not may_lack then
      if io.grows then error({ more = 0 }, 0) end
      fail(string.format("no terminator in the %d bytes that are left", io.to - start))
    end
    io.at = io.to
    return { tvb = io.tvb, at = start, size = io.to - start, len = io.to - start }
  end
  io.at = stays and found or found + width
  return { tvb = io.tvb, at = start, size = io.at - start, len = found - start + (includes and width or 0) }
end

local function raw(part)
  return part.len > 0 and part.tvb:raw(part.at, part.len) or ""
end

local function bytes(tree, key, part)
  show_bytes(tree, key, part.tvb, part.at, part.len)
  if tree then taken(part.tvb, part.at, part.size) end
  return raw(part)
end

local function text(tree, key, part, encoding)
  if part.len == 0 then
    show(tree, key, part.tvb, part.at, part.size, "")
    return ""
  end
  local range = part.tvb(part.at, part.len)
  -- Wireshark cuts a given text at the number of its bytes on the wire, so it decodes the text itself.
  if tree then
    tree:add_packet_field(fields[key], range, encoding)
    taken(part.tvb, part.at, part.size)
  end
  return range:string(encoding)
end

-- The stream of an object of its own size.
local function within(part)
  return stream(part.tvb, part.at, part.at + part.len)
end

-- Bytes that are calculated from a part, as a part of their own.
local function derived(name, value)
  if value == "" then fail(name .. " gives no bytes") end
  return { tvb = ByteArray.new(value, true):tvb(name), at = 0, size = #value, len = #value }
end

local function each_byte(part, change)
  local value, from = {}, raw(part)
  for at = 1, #from do value[at] = string.char(change(from:byte(at), at)) end
  return table.concat(value)
end

local function xor(part, key)
  if type(key) == "number" then key = string.char(key % 256) end
  if key == "" then return part end
  return derived("xor", each_byte(part, function(byte, at)
    return bit32.bxor(byte, key:byte((at - 1) % #key + 1))
  end))
end

local function rotate(part, count)
  count = count % 8
  return derived("rotated", each_byte(part, function(byte)
    return byte * 2 ^ count % 256 + math.floor(byte / 2 ^ (8 - count))
  end))
end

local function inflate(part)
  local range = part.len > 0 and part.tvb(part.at, part.len):uncompress("decompressed")
  if not range then fail("the zlib stream is damaged") end
  return { tvb = range:tvb(), at = 0, size = range:len(), len = range:len() }
end

-- Objects.

-- Instances are calculated when they are used; `order` is the one of the file.
local function define(name)
  local of = { name = name, instances = {}, order = {} }
  of.meta = {
    __index = function(this, member)
      local instance = of.instances[member]
      if not instance then return nil end
      local open = rawget(this, "_open")
      if open[member] then fail("the value of " .. member .. " depends on itself") end
      open[member] = true
      -- It is shown later, from the same position.
      rawget(this, "_at")[member] = this._io.at
      local value = instance(this, nil, "")
      open[member] = nil
      rawset(this, member, value)
      return value
    end,
  }
  return of
end

local function new(of, reader, io, arguments, parent)
  local this = arguments or {}
  this._of, this._io, this._open, this._at = of, io, {}, {}
  this._parent, this._root, this._little = parent, this, nil
  if reader then this._root, this._little = reader._root, reader._little end
  return setmetatable(this, of.meta)
end

-- Where the fields of an object are, by the path of its attribute. A type inside itself uses the fields of its outermost object.
local function inside(key, of)
  return exceptions[key .. ":" .. of.name] or key
end

local function note(tree, problem)
  local reason = type(problem) == "table" and problem.reason or tostring(problem)
  if tree then tree:add_proto_expert_info(malformed, reason) end
end

-- The innermost branch that is read, where a failure is noted.
local innermost

-- Complete objects whose instances are still to be shown: these may use what comes behind the object.
local complete = {}

local function finish(this, tree, path)
  if tree then table.insert(complete, { this = this, tree = tree, path = path }) end
end

-- Shows an instance. A failure of one concerns no other one.
local function show_instance(this, name, tree, path)
  local io = this._io
  local at, left = io and io.at, io and io.left
  if io and this._at[name] then io.at = this._at[name] end
  local is_fine, problem = pcall(this._of.instances[name], this, tree, path)
  if io then io.at, io.left = at, left end
  if not is_fine then note(tree, problem) end
end

-- Shows instances of all objects, and what each object is in a few words.
local function show_instances()
  local at = 1
  apart = {}
  while complete[at] do
    local one = complete[at]
    for _, name in ipairs(one.this._of.order) do show_instance(one.this, name, one.tree, one.path) end
    if one.this._of.summary then
      local is_fine, words = pcall(one.this._of.summary, one.this)
      if is_fine then one.tree:append_text(": " .. words) end
    end
    complete[at] = false
    at = at + 1
  end
  local parts = apart
  apart, complete = nil, {}
  return parts
end

local DEEPEST = 100

-- Whether an object of this type at this place contains the next one: an instance may lead back to it.
local function is_around(object, of, tvb, start)
  while object do
    if object._of == of and object._start == start and object._io and object._io.tvb == tvb then return true end
    object = rawget(object, "_reader")
  end
  return false
end

-- Reads an object as a branch of the tree. Options: `parent`, `alone` for a type of another file, which is its own root.
local function object(of, reader, io, tree, key, arguments, options)
  options = options or {}
  count_work()
  local parent = reader
  if options.parent ~= nil then parent = options.parent or nil end
  if options.alone then parent = nil end
  local this = new(of, reader, io, arguments, parent)
  this._reader, this._start, this._depth = reader, io.at, (rawget(reader, "_depth") or 0) + 1
  if this._depth > DEEPEST then fail("more than " .. DEEPEST .. " objects inside each other") end
  if options.alone then this._root = this end
  if apart and is_around(reader, of, io.tvb, io.at) then tree = nil end
  local path, start = inside(key, of), io.at
  local branch = tree and tree:add(fields[key .. "#object"] or fields[key], io.tvb(start, io.to - start))
  innermost = branch or innermost
  of.read(this, io, branch, path)
  finish(this, branch, path)
  if branch and io == reader._io then branch:set_len(io.at - start) end
  if branch and io ~= reader._io and io.at < io.to and #of.order == 0 and fields[path .. "._unparsed"] then
    show_bytes(branch, path .. "._unparsed", io.tvb, io.at, io.to - io.at)
  end
  innermost = tree or innermost
  return this
end

-- Lists. They are in place from the first element on, because conditions may use them.

local function add(list, value)
  count_work()
  list.n = list.n + 1
  list[list.n] = value
end

local function list_in(this, name)
  local list = { n = 0 }
  this[name] = list
  return list
end

local function until_end(io, this, name, read)
  local list = list_in(this, name)
  while not eof(io) do
    local at, left = io.at, io.left
    add(list, read(list.n))
    if io.at == at and io.left == left then fail("an element takes no byte") end
  end
end

local function times(this, name, count, read)
  local list = list_in(this, name)
  while list.n < count do add(list, read(list.n)) end
end

local function until_true(this, name, read, is_last)
  local list = list_in(this, name)
  repeat
    local value = read(list.n)
    add(list, value)
  until is_last(value, list.n - 1)
end

-- Reads at another position of a stream, which stays where it was.
local function at_position(io, position, read)
  local at, left = io.at, io.left
  if position < 0 or io.from + position > io.to then fail(string.format("position %d is outside", position)) end
  io.at, io.left = io.from + position, 0
  read()
  io.at, io.left = at, left
end

-- Reads an object that nothing contains.
local function whole(of)
  return function(_, io, tree, path)
    local this = new(of, nil, io)
    of.read(this, io, tree, path)
    finish(this, tree, path)
    return this
  end
end

local function demand(is_valid, name)
  if not is_valid then fail(name .. " is not valid") end
end

-- Expressions. Integers are exact up to 2^53; bits of negative ones are those of their two's complement.

local function bitwise(a, b, of_bits)
  local value, place = 0, 1
  while not ((a == 0 or a == -1) and (b == 0 or b == -1)) do
    if of_bits(a % 2, b % 2) then value = value + place end
    a, b, place = math.floor(a / 2), math.floor(b / 2), place * 2
  end
  if of_bits(a % 2, b % 2) then value = value - place end
  return value
end

local function band(a, b)
  return bitwise(a, b, function(x, y) return x == 1 and y == 1 end)
end

local function bor(a, b)
  return bitwise(a, b, function(x, y) return x == 1 or y == 1 end)
end

local function bxor(a, b)
  return bitwise(a, b, function(x, y) return x ~= y end)
end

local function shl(a, count)
  return math.floor(a * 2 ^ count)
end

local function shr(a, count)
  return math.floor(a / 2 ^ count)
end

local function divide(a, b)
  if b == 0 then fail("division by zero") end
  return math.floor(a / b)
end

local function modulo(a, b)
  if b == 0 then fail("division by zero") end
  return a % b
end

local function truncate(a)
  return a < 0 and math.ceil(a) or math.floor(a)
end

-- One of two values that may be false or absent.
local function either(condition, yes, no)
  if condition then return yes() end
  return no()
end

local function element(of, index)
  if index < 0 or index >= of.n then fail(string.format("element %d of %d", index, of.n)) end
  return of[index + 1]
end

local function last(of)
  return element(of, of.n - 1)
end

local function byte_of(of, index)
  if index < 0 or index >= #of then fail(string.format("byte %d of %d", index, #of)) end
  return of:byte(index + 1)
end

-- The element that comes before all others.
local function most(of, is_before)
  local found = of[1]
  for _, value in ipairs(of) do
    if is_before(value, found) then found = value end
  end
  return found
end

local function least(of)
  return most(of, function(a, b) return a < b end)
end

local function greatest(of)
  return most(of, function(a, b) return a > b end)
end

-- Whether a text comes before another one, by its bytes.
local function is_before(a, b)
  for at = 1, math.min(#a, #b) do
    if a:byte(at) ~= b:byte(at) then return a:byte(at) < b:byte(at) end
  end
  return #a < #b
end

local function characters(value)
  local found = { n = 0 }
  for character in value:gmatch("[%z\1-\127\192-\255][\128-\191]*") do
    found.n = found.n + 1
    found[found.n] = character
  end
  return found
end

local function substring(value, from, to)
  return table.concat(characters(value), "", from + 1, to)
end

local function reverse(value)
  local turned = {}
  for _, character in ipairs(characters(value)) do table.insert(turned, 1, character) end
  return table.concat(turned)
end

local function to_integer(value, base)
  local number = tonumber(value, base)
  if not number then fail("no number: " .. value) end
  return number
end

local function named(of, value)
  return of[value] or tostring(value)
end

local function hex(value)
  return (value:gsub(".", function(byte) return string.format("%02x", byte:byte()) end))
end

local function summary(this)
  return this and this._of.summary and this._of.summary(this) or ""
end

-- A value of any kind in a text.
local function words_of(value)
  if type(value) ~= "table" then return tostring(value) end
  if value._of then return summary(value) end
  local words = {}
  for at = 1, value.n or 0 do words[at] = words_of(value[at]) end
  return "[" .. table.concat(words, ", ") .. "]"
end
