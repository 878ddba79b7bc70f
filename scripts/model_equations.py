"""The equations of the models' pages, typeset: what `stickslip models NAME` prints as text, as LaTeX. scripts/update-docs uses them and
fails for a model without any. Symbols are those of the parameter tables."""

STRIBECK = r"s(v) &= F_C + (F_S - F_C)\, e^{-|v/v_S|^a}"
STRIBECK_FORMS = (r"s(v) &= F_C + (F_S - F_C)\, e^{-|v/v_S|^a} \quad\text{or}\quad F_C + \frac{F_S - F_C}{1 + |v/v_S|^a}")
SLIP = r"\text{slip:}\quad F &= s(v)\,\operatorname{sgn} v + F_v v"
CLIP = r"\delta_i &\leftarrow \operatorname{clip}(\delta_i + \mathrm{d}x,\, -\Delta_i,\, \Delta_i)"
FILM = [
    r"\dot h &= \frac{h_{ss} - h}{\tau},\qquad \tau = \begin{cases} \tau_{hp} & h \le h_{ss} \\ \tau_{hn} & h > h_{ss} \\ "
    r"\tau_{h0} & \text{at rest} \end{cases}",
    r"h_{ss} &= \left(1 - \frac{F_C}{F_S}\right) \left(\frac{\min(|v|,\, v_b)}{v_b}\right)^{2/3}",
]

EQUATIONS = {
    "coulomb": [r"F &= F_C \operatorname{sgn} v && \text{sliding}", r"|F| &\le F_C && \text{at rest}"],
    "coulomb-viscous": [r"F &= F_C \operatorname{sgn} v + F_v v && \text{sliding}", r"|F| &\le F_C && \text{at rest}"],
    "stribeck": [r"F &= s(v) \operatorname{sgn} v + F_v v && \text{sliding}", r"|F| &\le F_S && \text{at rest}", STRIBECK],
    "karnopp": [r"F &= s(v) \operatorname{sgn} v + F_v v && |v| \ge v_b",
                r"v &:= 0,\quad F = \operatorname{clip}(u,\, -F_S,\, F_S) && |v| < v_b"],
    "dahl": [r"\dot z &= v - \frac{\sigma_0}{F_C}\, |v|\, z", r"F &= \sigma_0 z + F_v v"],
    "bliman-sorine": [r"\frac{\mathrm{d}z_1}{\mathrm{d}s} &= \frac{f_1 \operatorname{sgn} v - z_1}{\eta\, \varepsilon_f},\qquad "
                      r"\frac{\mathrm{d}z_2}{\mathrm{d}s} = \frac{-f_2 \operatorname{sgn} v - z_2}{\varepsilon_f},\qquad "
                      r"\mathrm{d}s = |v|\, \mathrm{d}t",
                      r"F &= z_1 + z_2"],
    "lugre": [r"\dot z &= v - \frac{\sigma_0\, |v|}{s(v)}\, z", r"F &= \sigma_0 z + \sigma_1 \dot z + \sigma_2 v", STRIBECK_FORMS],
    "elastoplastic": [
        r"\dot z &= v \left(1 - \alpha(z, v)\, \frac{\sigma_0\, z \operatorname{sgn} v}{s(v)}\right)",
        r"F &= \sigma_0 z + \sigma_1 \dot z + \sigma_2 v",
        r"\alpha &= \begin{cases} 0 & v z \le 0 \text{ or } |z| \le z_{ba} \\ \frac12 + \frac12 \sin\left(\pi\, "
        r"\frac{|z| - (z_{ss} + z_{ba})/2}{z_{ss} - z_{ba}}\right) & \text{between} \\ 1 & |z| \ge z_{ss} = s(v)/\sigma_0 \end{cases}",
        STRIBECK_FORMS],
    "leuven": [
        r"\dot z &= v - |v| \operatorname{sgn}(F_h) \left|\frac{F_h}{s(v)}\right|^n", r"F &= F_h + \sigma_1 \dot z + \sigma_2 v",
        r"F_h &= \sum_i k_i \delta_i,\qquad \delta_i \leftarrow \operatorname{clip}(\delta_i + \mathrm{d}z,\, -\Delta_i,\, \Delta_i),"
        r"\qquad \sum_i k_i \Delta_i \ge F_S", STRIBECK_FORMS],
    "maxwell-slip": [CLIP, r"F &= \sum_i k_i \delta_i + b"],
    "asymmetric-maxwell-slip": [
        r"\delta_i &\leftarrow \delta_i + \mathrm{d}x,\quad \text{at most } \Delta_i + g/2 \text{ forward, at least } -\Delta_i - g/2 "
        r"\text{ backward}",
        r"e_i &= \delta_i - \operatorname{clip}(\delta_i,\, -g/2,\, g/2)",
        r"F &= \sum_i k_i\, (1 + \alpha \operatorname{sgn} e_i)\, e_i + b"],
    "extended-maxwell-slip": [
        CLIP, r"F(t) &= \sum_{r=0}^{n_x} c_r\, x(t - r) + \sum_{r=0}^{n} \theta_r^{\mathsf T} \delta(t - r) + b"
        r"\qquad t \text{ counts samples}"],
    "generalized-maxwell-slip": [
        r"\text{sticks:}\quad \dot z_i &= v \qquad \text{until } k_i |z_i| \ge \nu_i\, s(v) \text{ with } z_i v > 0",
        r"\text{slips:}\quad k_i \dot z_i &= C \left(\nu_i \operatorname{sgn} v - \frac{k_i z_i}{s(v)}\right) \qquad "
        r"\text{until } v \text{ changes sign}",
        r"F &= \sum_i k_i z_i + F_v v,\qquad \sum_i \nu_i = 1", STRIBECK_FORMS],
    "hybrid": [SLIP, r"\text{stick:}\quad v &= 0,\quad F = u",
               r"&\text{sticks when } v = 0 \text{ and } |u| \le F_S, \text{ leaves when } |u| > F_S", STRIBECK],
    "hybrid-numerical": [SLIP, r"\text{stick:}\quad \dot v &= -p_0 v,\quad F = u + m p_0 v",
                         r"\text{slip to stick:}\quad u &< F_C \text{ and } 0 < v < \Sigma, \text{ or mirrored}",
                         r"\text{stick to slip:}\quad |u| &> F_S \text{ and } |v| < \Sigma_2,\quad v := 0"],
    "hybrid-presliding": [SLIP, r"\text{presliding:}\quad F &= k_1 z + k_2 \dot z,\qquad k_1 = \frac{F_S}{z_{max}},\qquad "
                          r"k_2 = 2 \zeta \sqrt{m k_1}"],
    "hybrid-dwell": [SLIP, r"\text{stick:}\quad F &= u \text{ while } |u| \le F_S(t)",
                     r"F_S(t) &= F_{S0} + (F_{S\infty} - F_{S0})\, (1 - e^{-t/\tau_s}) \quad\text{or}\quad "
                     r"F_{S0} + (F_{S\infty} - F_{S0})\, \frac{t}{t + \tau_s}"],
    "hybrid-hysteresis": [SLIP, r"\text{presliding:}\quad F &= \sum_i k_i \delta_i + k_2 v,\qquad "
                          r"k_2 = 2 \zeta \sqrt{\textstyle m \sum_i k_i}", CLIP, r"F_S &= \sum_i k_i \Delta_i"],
    "hybrid-preisach": [SLIP, r"\text{presliding:}\quad F &= F_h(z) + k_2 v,\qquad k_2 = 2 \zeta \sqrt{2 m F_S / z_{max}}",
                        r"&F_h \text{ of a Preisach operator with Everett function } 2 f\!\left(\frac{a - b}{2}\right),\quad "
                        r"f(y) = F_S \left(\frac{2 y}{z_{max}} - \frac{y^2}{z_{max}^2}\right)"],
    "modified-lugre": [r"\dot z &= v - \frac{\sigma_0\, |v|}{g(v, h)}\, z", r"F &= \sigma_0 z + \sigma_1 \dot z + \sigma_2 v",
                       r"g(v, h) &= F_C + ((1 - h)\, F_S - F_C)\, e^{-|v/v_S|^n}", *FILM],
    "new-modified-lugre": [r"\dot z &= v - \frac{\sigma_0\, |v|}{g(v, h)}\, z",
                           r"F &= \sigma_0 z + \sigma_1 \dot z + \sigma_2\, (v + T \dot v)",
                           r"g(v, h) &= F_C + ((1 - h)\, F_S - F_C)\, e^{-|v/v_S|^n}", *FILM],
    "bristle": [r"\theta_{max} &= \frac{F_N\, l}{N \kappa},\qquad h = l \cos\theta_{max},\qquad d = l \sin\theta_{max}",
                r"\theta &= \arctan\frac{y}{h},\qquad F_1(y) = \frac{\kappa\, \theta \cos^2\theta}{h} \qquad "
                r"\text{each bristle, } 0 \le y < d \text{ behind the leading edge; spacing } \frac{w}{N - 1}"],
    "bristle-sawtooth": [r"F &= \operatorname{sgn}(v) \left(F_l + \frac{F_h - F_l}{\Delta} \operatorname{mod}(x \operatorname{sgn} v,\, \Delta)"
                         r"\right),\qquad F_l < F_h"],
    "lugre-bristle": [r"w &= \frac{v \cos^2\theta}{h},\qquad \dot\theta = w - \frac{\sigma\, |w|}{g(w)}\, \theta",
                      r"g(w) &= \theta_1 + \theta_2\, e^{-(w/\varepsilon)^2}", r"F &= \frac{\sigma \kappa\, \theta \cos^2\theta}{h}"],
    "coulomb-breakaway": [r"F &= F_C \operatorname{sgn} v + F_v v && \text{sliding}", r"|F| &\le p\, F_C && \text{at rest, } p = \texttt{peak}"],
    "stribeck-breakaway": [r"F &= s(v) \operatorname{sgn} v + F_v v && \text{sliding}",
                           r"|F| &\le p\, F_S && \text{at rest, } p = \texttt{peak}", STRIBECK],
    "speed-table": [r"F &= L(|v|) \operatorname{sgn} v && \text{sliding}", r"|F| &\le p\, L(0) && \text{at rest, } p = \texttt{peak}",
                    r"L(|v|) &= L_i + (L_{i+1} - L_i)\, \frac{|v| - v_i}{v_{i+1} - v_i} && v_i \le |v| \le v_{i+1}; "
                    r"\text{ the last line is extended, not below zero}"],
    "load-dependent": [r"\dot z &= \frac{v - |v|\, z}{h}", r"F &= \mu\, |T|\, z + \Delta\mu\, T z^2 + F_v v \qquad T \text{: transmitted load}"],
    "compensated": [r"F &= F_C \left(1 - \kappa \min\left(\frac{|v|}{v_c},\, 1\right)\right) \operatorname{sgn} v + F_v v && \text{sliding}",
                    r"|F| &\le p\, F_C && \text{at rest, } p = \texttt{peak}"],
}


def typeset(name):
    """The equations as a block that GitHub and the site typeset."""
    if name not in EQUATIONS:
        raise SystemExit(f"scripts/model_equations.py has no equations of {name}")
    lines = EQUATIONS[name]
    return "```math\n\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n```\n"
