/// Where the motion ends and the noise begins: the cutoff of the low-pass before a position is differentiated.
/// Welch's spectrum S(f) of the position (Hann windows, half overlapping, a straight line removed from each), averaged
/// over about an octave, is compared with the larger of two noise floors:
///   N_q = (q²/12)/min(1/(2 T_s), v_rms/q)    readings rounded to q; their error fills the band up to the rate of
///                                            steps where that is slower than the sampling                       (1)
///   N_t = mean of S over the top quarter of the band                                                            (2)
/// The cutoff is twice the highest frequency at which S > 4 max(N_q, N_t): motion there passes the low-pass nearly whole
/// (gain 1/(1 + 2^−2n) forward and backward), and what is taken away is mostly noise. Where the motion fills the band,
/// or the noise is below 1e-8 of the range (a computed motion), there is nothing to take away: no cutoff.
/// P. D. Welch, IEEE Trans. Audio and Electroacoustics 15(2), 1967; W. R. Bennett, Bell System Technical J. 27, 1948.
#pragma once
#include <span>

namespace stickslip::inline recordings {

struct PositionBand {
  double motion_hz = 0;  // highest frequency at which the signal exceeds the noise floor; 0: none
  double cutoff_hz = 0;  // of the low-pass; 0: none is needed
  double noise = 0;      // standard deviation of the readings [m]
  double floor = 0;      // the larger of (1) and (2), one-sided [m²/Hz]
};

/// Of an evenly sampled position with readings rounded to `resolution` (0: not known).
PositionBand position_band(std::span<const double> position, double sampling_time, double resolution);

}  // namespace stickslip::inline recordings
