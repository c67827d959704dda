-- What is not supported yet: an error where it is used.
Conversation.find_from_pinfo(nil)
