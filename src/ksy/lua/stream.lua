-- Messages on a stream.

local tcp_stream, tcp_fin = Field.new("tcp.stream"), Field.new("tcp.flags.fin")

-- Reads without a tree first: what is not complete leaves nothing behind.
local function measured(read, this, tvb, at, is_growing)
  work = 0
  local io = stream(tvb, at, tvb:len(), is_growing)
  this._io = io
  local is_fine, problem = pcall(read, this, io, nil, root)
  if is_fine then return io.at end
  return nil, type(problem) == "table" and problem.more, problem
end

-- Reads with a tree. What was read before a failure stays. Also returns the parts that instances took.
local function shown(read, this, tvb, at, tree)
  work, innermost, complete = 0, tree, {}
  local io = stream(tvb, at, tvb:len())
  this._io = io
  local is_fine, problem = pcall(read, this, io, tree, root)
  if not is_fine then note(innermost, problem) end
  return is_fine and problem, show_instances()
end

-- Asks for the rest of what begins at an offset.
local function wait(pinfo, at, more)
  pinfo.desegment_offset = at
  pinfo.desegment_len = more > 0 and more or DESEGMENT_ONE_MORE_SEGMENT
end

-- By direction, the object of what was read once. A frame that is read again finds it by its own number.
local directions, of_frames = {}, {}

local function direction(tvb, pinfo)
  local stream = tcp_stream()
  local name = table.concat({ stream and stream.value or "", tostring(pinfo.src), pinfo.src_port, pinfo.dst_port }, " ")
  return name, pinfo.number .. " " .. tvb:offset()
end

-- What a direction begins with, and where its first message is; nothing while that is incomplete.
local function opened(unit, tvb, pinfo, tree)
  local name, frame = direction(tvb, pinfo)
  local this = pinfo.visited and of_frames[frame] or not pinfo.visited and directions[name]
  if this then
    of_frames[frame] = this
    return this, 0
  end
  this = new(unit.of, nil, nil)
  local at = 0
  if unit.once then
    local behind, more = measured(unit.once, this, tvb, 0, pinfo.can_desegment > 0)
    if more then
      wait(pinfo, 0, more)
      return nil
    end
    -- A capture may begin later: then there are messages only.
    this = new(unit.of, nil, nil)
    if behind then
      shown(unit.once, this, tvb, 0, tree:add(proto, tvb(0, behind)))
      at = behind
    end
  end
  directions[name] = this
  return this, at
end

-- What to say of a message in the list of packets.
local function describe(message)
  local of = type(message) == "table" and message._of
  if not of then return root end
  local is_fine, words = pcall(of.title or of.summary or function() return of.name end, message)
  return is_fine and words or of.name
end

-- One message behind another. Returns what to say of them.
local function messages(unit, tvb, pinfo, tree)
  local words = {}
  local this, at = opened(unit, tvb, pinfo, tree)
  while this and at < tvb:len() do
    local behind, more = measured(unit.message, this, tvb, at, pinfo.can_desegment > 0)
    if more and at + more <= tvb:len() + MOST_BYTES then
      wait(pinfo, at, more)
      break
    end
    local branch = tree:add(proto, tvb(at, (behind or tvb:len()) - at))
    local message = shown(unit.message, this, tvb, at, branch)
    table.insert(words, message and describe(message) or "malformed")
    if behind == at then break end
    at = behind or tvb:len()
  end
  return words
end

-- Shows the bytes behind an object that no instance took.
local function show_unparsed(io, taken, tree)
  local at = io.at
  table.sort(taken, function(a, b) return a.from < b.from end)
  table.insert(taken, { tvb = io.tvb, from = io.to, to = io.to })
  for _, part in ipairs(taken) do
    if part.tvb == io.tvb then
      if part.from > at then show_bytes(tree, root .. "._unparsed", io.tvb, at, part.from - at) end
      at = math.max(at, part.to)
    end
  end
end

-- All bytes as one object.
local function alone(of, tvb, tree)
  local branch = tree:add(proto, tvb())
  local message, taken = shown(whole(of), {}, tvb, 0, branch)
  if not message then return { "malformed" } end
  show_unparsed(message._io, taken, branch)
  return { describe(message) }
end

-- Everything that one side sends is one object: it is read when the side closes.
local function connection(of, tvb, pinfo, tree)
  local fin = tcp_fin()
  if pinfo.can_desegment > 0 and not (fin and fin.value) then
    pinfo.desegment_offset, pinfo.desegment_len = 0, UNTIL_FIN
    return {}
  end
  return alone(of, tvb, tree)
end
