try:
    1 / 0
except ZeroDivisionError as e:
    kept = e
e
# --- cell
kept.__traceback__.tb_lineno, kept.__traceback__.tb_frame.f_code.co_filename
