/// Inertia and loads over position, before any friction law is fitted: inverse dynamics of the sliding samples.
///   F = m a + c₀ + F_C sgn v + F_v v + F_d |v| + F_s sgn v exp(−|v|/v_S) + L(x)                                  (1)
///   L: sine and cosine of the angle (gravity), waves of a period (cogging), a table over position: additive_load.hpp
/// Least squares over the samples of estimation that slide: rest and presliding are left out, since the force there is
/// anything up to breakaway. v_S is the best of a row. Standard errors from sums over 40 stretches of the time, so that
/// errors which are correlated do not shrink them:  C = H⁻¹ (Σ_b g_b g_bᵀ) H⁻¹,  g_b = Σ_{i in b} e_i φ_i           (2)
/// What nobody mentioned is looked for by held-out samples: a load over position, and a force that is late (visible_load).
/// Not here: the law of friction; mass_share.hpp settles m together with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "identification/judging/estimates.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline identification {

/// What of (1) is looked for beside the friction.
struct LoadSearch {
  bool mass = true;
  bool gravity = false;       // sine and cosine of an angle
  double cogging_period = 0;  // [m] or [rad]; 0: none
  std::size_t waves = 2;      // of that period: the first so many harmonics
  std::size_t knots = 0;      // of a table over position; 0: none
  bool is_of_a_load() const { return gravity || cogging_period > 0 || knots > 0; }
  bool is_asked() const { return mass || is_of_a_load(); }
};

struct SettledLoad {
  double mass = 0, mass_error = 0;  // and its standard error [kg]
  double mass_scatter = 0;          // the part of it that is not the noise of the acceleration [kg]
  double noise_share = 0;  // how much of what the other columns leave of the acceleration is noise, at most a half
  AdditiveLoad load;
  double left = 1, left_without = 1;  // share of the force's variance that (1) leaves, and (1) without m
  double beside_load = 1;             // share of the force's variance that is no load over position
  double like_a_spring = 0;           // share of a's variance that position explains: 1 in harmonic strokes
  std::size_t samples = 0;            // that slide
  std::vector<Estimate> terms;        // every number of (1) with its 95 % interval
  /// Inertia is plainly there: without it (1) leaves a quarter more, m is positive beyond five times its scatter (noise of the acceleration
  /// hides how large it is, not that it is there) and known at all, and the rest of (1) explains the force. Shares are those of what is no load: beside the weight of an arm friction and inertia are
  /// a hundredth of the force.
  bool shows_inertia() const;
};

/// `sets` prepared without mass and loads. Nothing where too little slides.
std::optional<SettledLoad> settle_load(const Sets& sets, const LoadSearch& search = {});

/// What of (1) the samples that do not estimate ask for, and by how much.
struct VisibleLoad {
  // with gravity, a table or a wave where that leaves a fifth less of the squared error, and less by 0.2 % of what is not inertia
  LoadSearch search;
  double left = 1, left_without = 1;  // share of the variance of the held-out forces that is left, with it and without
  double lag = 0;                     // of the force behind the motion, where it leaves a fifth less [s]
  double lag_error = 0;               // its standard error, where drive_lag.hpp found it [s]
  double left_at_once = 1, left_late = 1;  // of the forces that the lag was judged by, without it and with it
};
/// Looked for with the mass free: gravity of a rotary axis, then tables of 2 to 33 knots, each of them only where both
/// directions pass every part, then a wave of any length where that leaves less than a table; then the lag of a drive (drive_lag.hpp), or
/// else shifts of up to 32 samples. A contact that builds up over a distance (contact_fit.hpp) must confirm that a force is late. Nothing
/// where too little slides or nothing is held out.
std::optional<VisibleLoad> visible_load(const Sets& sets);

}  // namespace stickslip::inline identification
