"""What a study is, and one participant's side of it."""
