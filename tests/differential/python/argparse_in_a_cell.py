import argparse
p = argparse.ArgumentParser(prog="tool", description="Does things.")
p.add_argument("file"); p.add_argument("-n", "--num", type=int, default=1, help="how many"); p.add_argument("--flag", action="store_true")
p.parse_args(["x", "-n", "3", "--flag"])
# --- cell
print(p.format_usage())
p.parse_args(["x", "--num", "z"])
# --- cell
p.parse_known_args(["y", "--other"])
