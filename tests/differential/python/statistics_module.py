import statistics as st
data = [2.5, 3, 3, 7.25, 9]
st.mean(data), st.median(data), st.mode(data), st.pstdev(data), st.quantiles(data, n=4), st.fmean(data, [1, 2, 1, 1, 1])
# --- cell
st.linear_regression([1, 2, 3], [2, 4, 7]), st.correlation([1, 2, 3], [3, 2, 1]), st.multimode("aabbc"), st.NormalDist(5, 2).cdf(7), st.harmonic_mean([40, 60])
# --- cell
st.mean([])
