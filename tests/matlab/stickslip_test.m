% stickslip_test(ROOT): the mex, and .mat files that the program wrote, against each other and against closed forms.
function stickslip_test(root)
  machine = fullfile(root, 'examples', 'stick_slip.toml');
  % --- a run: columns, and the first release at F_S/(k v) = 7.5 s
  run = stickslip('simulate', machine);
  assert(strcmp(run.stop, 'finished') && strcmp(run.units.velocity, 'm/s'));
  slides = find(run.velocity > 0, 1);
  assert(abs(run.time(slides) - 7.5) < 0.011);
  kept = load('run.mat');
  assert(isequal(kept.velocity_m_s, run.velocity) && isequal(kept.time_s, run.time));
  % --- a machine in hand gives the same
  axis = stickslip('open', machine);
  for t = 0.5:0.5:12
    assert(stickslip('advance', axis, t));
  end
  now = stickslip('read', axis);
  assert(abs(now.position - interp1(run.time, run.position, 12)) < 1e-8);
  stickslip('set', axis, 1, now.position);  % the far end of the spring comes back: nothing pulls
  assert(stickslip('advance', axis, 20));
  later = stickslip('read', axis);
  assert(strcmp(later.mode, 'stuck'));
  % --- identification: the same parameters as the command line wrote
  data = load('axis.mat');
  found = jsondecode(stickslip('identify', data.time_s, data.position_m, data.force_N, 20, 'coulomb-viscous,lugre', 1));
  theirs = load('found.mat');
  assert(strcmp(found.recommended, theirs.label));
  assert(strcmp(theirs.parameters.coulomb_force.unit, 'N'));
  assert(theirs.parameters.coulomb_force.low < 20 && theirs.parameters.coulomb_force.high > 20);
  assert(max(abs(theirs.forces.measured - theirs.forces.predicted - theirs.forces.residual)) < 1e-9);
  % --- wrong input is one line
  t = data.time_s;
  for wrong = {{'simulate', 'nowhere.toml'}, {'read', 7}, {'identify', 1, [1 2], 1, 1}, {'nothing'}, {'advance', axis, Inf}, ...
               {'set', axis, 99, 1}, {'set', axis, 1, NaN}, {'identify', t, t, t, 1, 'lugre', -1}, {'identify', t, t, t, 1, 'lugre', NaN}}
    message = '';
    try
      stickslip(wrong{1}{:});
    catch problem
      message = problem.message;
    end
    assert(~isempty(message) && ~any(message == 10));
  end
  assert(stickslip('advance', axis, 21));  % no refusal stopped it
  stickslip('close', axis);
  disp('all is well');
end
