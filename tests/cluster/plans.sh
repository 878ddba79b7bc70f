# tests/cluster/plans.sh, sourced: writes a quick scenario and one sweep of it for every kind of plan into the working folder; `plans` names them.
cat >s.toml <<'TOML'
[machine]
kind = "pulled-spring"
mass = "1 kg"
stiffness = "2 N/m"
damping = "0.1 N s/m"
[input]
kind = "ramp"
rate = "0.1 m/s"
[friction]
model = "stribeck"
coulomb_force = "1 N"
stiction_force = "1.5 N"
stribeck_velocity = "1 mm/s"
viscosity = "0.4 N s/m"
[run]
sample_interval = "10 ms"
duration = "5 s"
TOML
plans=(grid random latin-hypercube sobol)
for plan in "${plans[@]}"; do
  if [[ $plan == grid ]]; then runs= count='count = 8'; else runs='runs = 60' count=; fi
  printf '%s\n' 'scenario = "s.toml"' 'outputs = ["sticks", "final position"]' '[plan]' "kind = \"$plan\"" "$runs" \
    '[[parameter]]' 'path = "machine.stiffness"' 'from = "1 N/m"' 'to = "8 N/m"' "$count" \
    '[[parameter]]' 'path = "input.rate"' 'from = "80 mm/s"' 'to = "0.3 m/s"' "$count" >"$plan.toml"
done
