größe = {"ä": 1}
größe["ö"] + größe["ü"]
# --- cell
"日本語" + 5
# --- cell
raise ValueError("naïve 日本 😀\nsecond line")
# --- cell
	x = "tab" + 1
