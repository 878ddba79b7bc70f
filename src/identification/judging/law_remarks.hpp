/// Remarks on a fitted law: implausible values, and the values of equally good laws for the same machine.
#pragma once

#include <string>
#include <vector>

#include "identification/fit_data.hpp"
#include "identification/identify.hpp"
#include "identification/laws/model_space.hpp"

namespace stickslip::inline identification {

/// Implausible results of a fit, in words.
std::vector<std::string> remarks_on(const IdentifiedModel& m, const FitData& data);

/// Given starts that lie outside of what is searched, in words: the nearest value was taken.
std::vector<std::string> remarks_on_start(const ModelSpace& space, const IdentifyOptions& options);

/// v_S over the fastest speed of the samples, where both levels and v_S are estimated and v_S lies beyond; 0 elsewhere. F_C is then
/// an extrapolation, which the fit's curvature makes look more certain than it is.
double stribeck_beyond_speeds(const IdentifiedModel& m, const FitData& data);

/// Backlash and lag belong to the machine, not to the law: if laws that fit nearly as well find other values, the interval
/// covers them. So does that of a level or viscosity, common to many laws, for laws that the samples cannot distinguish from this one
/// (`alike`; also those that err less where the low-pass does not mix sticking and sliding) and that determine it: which of them acts
/// is not known.
void widen_by_other_laws(IdentifiedModel& m, const std::vector<const IdentifiedModel*>& all,
                         const std::vector<const IdentifiedModel*>& alike);

/// A constant force and levels that differ by direction have the same effect while sliding: if an offset is found that such
/// levels could explain, a remark names them. `by_direction`: the share of the squared errors that the direction explains beside it
/// [%], where that asks for such levels; the offset's interval then reaches to none at all. 0: the errors do not ask.
void doubt_offset(IdentifiedModel& m, double by_direction, const std::string& unit);

}  // namespace stickslip::inline identification
