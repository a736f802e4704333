done = []
done.append(1)
later = undefined_name
done.append(2)
# --- cell
done
# --- cell
later
