//! Every key and pane on a screen in memory.
