"""The rival of benchmarks/servo_rollout.cpp, all logs at once with NumPy: servo_rollout.py as ./bench asks for it."""
import contest

try:
    import servo_rollout
except ImportError:
    contest.absent("python3-numpy")

contest.serve({"NumPy, all logs at once": lambda: {"sum_of_last_angles": float(servo_rollout.roll_out().sum())}})
