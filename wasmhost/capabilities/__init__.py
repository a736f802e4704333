"""Capabilities: host functions that a guest may call, and the pipeline that every call of one goes through."""
