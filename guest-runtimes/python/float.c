/* Floats as JSON numbers that are read back as the same float. The shortest such text, which repr() gives, costs some fifteen
 * thousand units of fuel each; these cost a few hundred. */
#include "guest.h"

#include <math.h>
#include <string.h>

/* ---- numbers of few digits ----------------------------------------------------------------------------------------- */

static const int64_t small_powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};

/* The integer m with m / 10^k == a, for such as 0.25 or 1999.99. Both are exact and the division is rounded correctly, so the
 * decimal number m / 10^k, which has at most 15 digits, is read as a. */
static bool put_short(struct wh_buf *b, double a) {
    if (!(a < 1e9)) return false;
    for (int k = 0; k < (int)Py_ARRAY_LENGTH(small_powers); k++) {
        double power = (double)small_powers[k], m = nearbyint(a * power);
        if (m / power != a) continue;
        int64_t whole = (int64_t)m / small_powers[k], rest = (int64_t)m % small_powers[k];
        wh_buf_i64(b, whole);
        char fraction[8] = ".0";
        for (int i = k; i > 0; i--, rest /= 10) fraction[i] = (char)('0' + rest % 10);
        wh_buf_add(b, fraction, (size_t)(k ? k + 1 : 2));
        return true;
    }
    return false;
}

/* ---- all others ---------------------------------------------------------------------------------------------------- */

enum { LOWEST = -310, HIGHEST = 345 };

/* 10^k = mantissa * 2^exponent, mantissa rounded down to 64 bits of which the highest is set. */
static struct power {
    uint64_t mantissa;
    int32_t exponent;
} powers[HIGHEST - LOWEST + 1];

/* a = D * 10^-k with an integer D of 18 or 19 digits: below 2 * 10^18, not below 10^17. D is off by less than 2: one for the
 * bits that are shifted out, and less than one for what the mantissa lacks. That is less than 2 * 10^-17 of a, while the
 * floats next to a are at least 2^-53 = 11 * 10^-17 of a away: the text is nearer to a than to any other. */
static void put_long(struct wh_buf *b, double a) {
    int e;
    uint64_t c = (uint64_t)ldexp(frexp(a, &e), 53); /* a = c * 2^(e - 53); a lies in [2^(e - 1), 2^e) */
    int t = (int)floor((e - 1) * 0.30102999566398120);
    struct power p = powers[17 - t - LOWEST];
    unsigned __int128 product = (unsigned __int128)c * p.mantissa;
    uint64_t digits = (uint64_t)(product >> -(e - 53 + p.exponent));
    wh_buf_i64(b, (int64_t)digits);
    wh_buf_text(b, "e");
    wh_buf_i64(b, t - 17);
}

void wh_buf_double(struct wh_buf *b, double d) {
    double a = fabs(d);
    if (isnan(d)) {
        wh_buf_text(b, "NaN");
        return;
    }
    if (signbit(d)) wh_buf_text(b, "-");
    if (isinf(d)) wh_buf_text(b, "Infinity");
    else if (!put_short(b, a)) put_long(b, a);
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

/* Exact integers of Python do it, while the image is built. */
static const char table_source[] =
    "def power(k):\n"
    "    n = 10 ** abs(k)\n"
    "    if k < 0:\n"
    "        exponent = -63 - n.bit_length()\n"
    "        return ((1 << -exponent) // n, exponent)\n"
    "    exponent = n.bit_length() - 64\n"
    "    return (n >> exponent if exponent > 0 else n << -exponent, exponent)\n";

int wh_float_init(void) {
    PyObject *names = PyDict_New(), *r = NULL;
    if (!names || PyDict_SetItemString(names, "__builtins__", wh.machine_builtins) < 0) return -1;
    PyObject *done = PyRun_String(table_source, Py_file_input, names, names);
    PyObject *power = done ? PyDict_GetItemString(names, "power") : NULL;
    for (int k = LOWEST; power && k <= HIGHEST; k++) {
        struct power *p = &powers[k - LOWEST];
        unsigned long long mantissa;
        r = PyObject_CallFunction(power, "i", k);
        if (!r || !PyArg_ParseTuple(r, "Ki", &mantissa, &p->exponent)) break;
        p->mantissa = mantissa;
        Py_CLEAR(r);
    }
    Py_XDECREF(r);
    Py_XDECREF(done);
    Py_DECREF(names);
    return PyErr_Occurred() ? -1 : 0;
}
