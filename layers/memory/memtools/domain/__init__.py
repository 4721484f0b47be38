"""Pure rules about traces, merging, persona documents and scopes. No input or output, no clock."""
