-- How a dissector is called: pdus, deseg, more, segment or zero as the argument.
local mode = ({...})[1] or "pdus"
local p = Proto("calls", "Calls")
local length = ProtoField.uint16("calls.len", "Length")
p.fields = {length}
local count = 0
local function one(tvb, pinfo, tree)
  count = count + 1
  print("message " .. pinfo.number .. ":" .. count)
  tree:add(p, tvb()):add_le(length, tvb(0, 2))
  return tvb:len()
end
function p.init() count = 0 end
function p.dissector(tvb, pinfo, tree)
  print("call " .. pinfo.number .. ":" .. tvb:len())
  if mode == "segment" then
    tree:add(p, tvb())
    return
  end
  if mode == "pdus" or mode == "zero" then
    local function len(t, _, off) return mode == "zero" and 0 or t(off, 2):le_uint() end
    return dissect_tcp_pdus(tvb, tree, 3, len, one)
  end
  local off = 0
  while off < tvb:len() do
    local left = tvb:len() - off
    local need = left >= 2 and tvb(off, 2):le_uint()
    if left < 3 or left < need then
      pinfo.desegment_offset = off
      pinfo.desegment_len = (mode == "more" or left < 3) and DESEGMENT_ONE_MORE_SEGMENT or need - left
      return
    end
    one(tvb(off, need):tvb(), pinfo, tree)
    off = off + need
  end
end
DissectorTable.get("tcp.port"):add(9999, p)
