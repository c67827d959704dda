-- Errors that scripts catch and show.
local p = Proto("texts", "Texts")
local f = {n = ProtoField.uint8("texts.n", "N"), guid = ProtoField.guid("texts.guid", "GUID"), got = ProtoField.string("texts.got", "Got")}
p.fields = f
function p.dissector(tvb, pinfo, tree)
  local t = tree:add(p, tvb())
  local function try(what) local _, e = pcall(what) t:add(f.got, tostring(e)) end
  try(function() return tvb(10, 1000) end)
  try(function() return tvb(1000) end)
  try(function() return tvb(0, 5):uint() end)
  try(function() return tvb(0, 9):le_uint64() end)
  try(function() return tvb(0, 3):float() end)
  try(function() return tvb(0, 3):ipv4() end)
  try(function() return tvb(0, 5):ether() end)
  try(function() return tvb(0, 1):bitfield(4, 8) end)
  try(function() return t:add(nil, tvb(0, 1)) end)
  try(function() return t:add(f.n, "text") end)
  try(function() return pinfo.nothing end)
  try(function() return tvb.nothing end)
  try(function() return DissectorTable.get("no.table") end)
  try(function() return Dissector.get("nosuch") end)
  try(function() return t:add(f.guid, tvb(1, 16), "x") end)
end
DissectorTable.get("udp.port"):add(9998, p)
