function proto.dissector(tvb, pinfo, tree)
  if tvb:len() == 0 then return 0 end
  local unit, words = unit_of(pinfo), nil
  if pinfo.port_type ~= TCP then
    words = alone(unit.root, tvb, tree)
  elseif unit.message then
    words = messages(unit, tvb, pinfo, tree)
  else
    words = connection(unit.root, tvb, pinfo, tree)
  end
  pinfo.cols.protocol:set(root:upper())
  if #words > 0 then pinfo.cols.info:set(table.concat(words, ", ")) end
  return tvb:len()
end

-- Recognizes conversations on any port by their first bytes.
local function recognize(transport, magics)
  proto:register_heuristic(transport, function(tvb, pinfo, tree)
    for _, magic in ipairs(magics) do
      if tvb:len() >= #magic and tvb:raw(0, #magic) == magic then
        pinfo.conversation = proto
        proto.dissector(tvb, pinfo, tree)
        return true
      end
    end
    return false
  end)
end
