/* SPDX-License-Identifier: BSD-3-Clause
 * Fourier sums of two to five numbers, of which long ones are made: valid as C17 and OpenCL C 1.2. Who includes this
 * defines real, which may be a vector, and FFT(name). */

/* Largest of the radices. */
#define FFT_RADIX 5
/* Of a fifth of a turn, and of two. */
#define FFT_COS_1 R(0.30901699437494742410)
#define FFT_COS_2 R(-0.80901699437494742410)
#define FFT_SIN_1 R(0.95105651629515357212)
#define FFT_SIN_2 R(0.58778525229247312917)

/* out[j] = sum over t of in[t] exp(2 pi i j t / p), in place; p is 2, 3, 4 or 5. */
SHOAL_FN void FFT(fft_butterfly)(int p, real *re, real *im)
{
    if (p == 2) {
        const real xr = re[1], xi = im[1];
        re[1] = re[0] - xr, im[1] = im[0] - xi;
        re[0] += xr, im[0] += xi;
    } else if (p == 3) {
        const real pr = re[1] + re[2], pi = im[1] + im[2];
        const real mr = R(0.86602540378443864676) * (re[1] - re[2]);
        const real mi = R(0.86602540378443864676) * (im[1] - im[2]);
        const real ur = re[0] - R(0.5) * pr, ui = im[0] - R(0.5) * pi;
        re[0] += pr, im[0] += pi;
        re[1] = ur - mi, im[1] = ui + mr;
        re[2] = ur + mi, im[2] = ui - mr;
    } else if (p == 4) {
        const real ar = re[0] + re[2], ai = im[0] + im[2], br = re[0] - re[2], bi = im[0] - im[2];
        const real cr = re[1] + re[3], ci = im[1] + im[3], dr = re[1] - re[3], di = im[1] - im[3];
        re[0] = ar + cr, im[0] = ai + ci;
        re[1] = br - di, im[1] = bi + dr;
        re[2] = ar - cr, im[2] = ai - ci;
        re[3] = br + di, im[3] = bi - dr;
    } else {
        const real pr = re[1] + re[4], pi = im[1] + im[4], mr = re[1] - re[4], mi = im[1] - im[4];
        const real qr = re[2] + re[3], qi = im[2] + im[3], nr = re[2] - re[3], ni = im[2] - im[3];
        const real ur = re[0] + FFT_COS_1 * pr + FFT_COS_2 * qr;
        const real ui = im[0] + FFT_COS_1 * pi + FFT_COS_2 * qi;
        const real vr = re[0] + FFT_COS_2 * pr + FFT_COS_1 * qr;
        const real vi = im[0] + FFT_COS_2 * pi + FFT_COS_1 * qi;
        const real sr = FFT_SIN_1 * mr + FFT_SIN_2 * nr, si = FFT_SIN_1 * mi + FFT_SIN_2 * ni;
        const real tr = FFT_SIN_2 * mr - FFT_SIN_1 * nr, ti = FFT_SIN_2 * mi - FFT_SIN_1 * ni;
        re[0] += pr + qr, im[0] += pi + qi;
        re[1] = ur - si, im[1] = ui + sr;
        re[2] = vr - ti, im[2] = vi + tr;
        re[3] = vr + ti, im[3] = vi - tr;
        re[4] = ur + si, im[4] = ui - sr;
    }
}
