#!/usr/bin/python3
"""Deliberate faults in the laws: each must turn the verification red.

Usage: mutate.py SOURCE_DIR BUILD_DIR [COMPILER]

A mutant is one replacement in one source file. The file's translation unit (catalogue.c for .inl and headers) is compiled
from a copy of src/ and linked with the rest of the library and the oracles; the runner must exit with status 1. A mutant
that survives, or whose text is no longer found exactly once, is a failure of this test.
"""
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys
import tempfile

# file in src/models (or a path below src), what stands there, the fault, what kind of fault
MUTANTS = [
    ("herbert_mcwhannell.inl", "6.0 * (1.0 - e)", "5.0 * (1.0 - e)", "wrong factor"),
    ("hunt_crossley.inl", "return 1.5 * (1.0 - e)", "return 1.4 * (1.0 - e)", "wrong factor"),
    ("hunt_crossley.inl", "p->rate = 1.5 * a", "p->rate = a", "material constant misread"),
    ("lee_wang.inl", "0.75 * (1.0 - e)", "1.5 * (1.0 - e)", "twice the factor"),
    ("lankarani_nikravesh.inl", "(1.0 - e * e))", "(1.0 - e))", "square forgotten"),
    ("gonthier.inl", "/ e)", "/ (e * e))", "wrong power of e"),
    ("zhang_sharf.inl", "scree_exact_factor(e)", "1.5 * (1.0 - e) / e", "approximation for the exact root"),
    ("zhiying_qishao.inl", "exp(2.0 *", "exp(1.0 *", "wrong exponent"),
    ("gharib_hurmuzlu.inl", "1.0 / e", "0.9 / e", "wrong factor"),
    ("flores.inl", "8.0 * (1.0 - e)", "7.0 * (1.0 - e)", "wrong factor"),
    ("hu_guo.inl", "(2.0 * e)", "(4.0 * e)", "half the factor, the slip of a published code"),
    ("zhang_2020.inl", "249.0", "294.0", "digits swapped"),
    ("safaeifar_farshidianfar.inl", "(4.0 * e)", "(5.0 * e)", "wrong factor"),
    ("ye_linear.inl", "3.0 * (1.0 - e)", "2.0 * (1.0 - e)", "wrong factor"),
    ("anagnostopoulos_simplified.inl", "3.0 * (1.0 - e)", "2.0 * (1.0 - e)", "wrong factor"),
    ("yu.inl", "0.8724", "0.8742", "digits swapped"),
    ("pant_wijeyewickrema_two_phase.inl", "3.0 * (1.0 - e * e)", "2.0 * (1.0 - e * e)", "wrong factor"),
    ("wang.inl", "(1.0 - cr * cr)", "(1.0 - cr)", "square forgotten"),
    ("wang_cubed.inl", "cr * cr * cr", "cr * cr", "cube forgotten"),
    ("wang.inl", "0.26 * p->u[0]", "0.28 * p->u[0]", "wrong constant"),
    ("luo_nahon.inl", "scree_exact_factor(e)", "1.6 * (1.0 - e) / e", "another law's factor"),
    ("forms.h", "(1.0 + l->chi * v);\n}\nSCREE_KERNEL double power_law_energy", "(1.0 - l->chi * v);\n}\nSCREE_KERNEL double power_law_energy", "sign of the damping"),
    ("forms.h", "* d / (l->n + 1.0);", "* d / l->n;", "stored energy"),
    ("forms.h", "double critical = 2.0 * sqrt(p->k * p->mass);", "double critical = sqrt(p->k * p->mass);", "critical damping halved"),
    ("forms.h", "double spread = sqrt(2.0 * (p->n + 1.0));", "double spread = sqrt(p->n + 1.0);", "wrong factor"),
    ("forms.h", "{SCREE_PARAM_A, 1.5 * p->k}", "{SCREE_PARAM_A, p->k}", "chi = K A"),
    ("forms.h", "p->c = 1.5 * p->k * sqrt(yield);", "p->c = p->k * sqrt(yield);", "slope after yield"),
    ("tsuji.inl", "SCREE_DASHPOT_KERNELS(tsuji, 1.5, 0.25)", "SCREE_DASHPOT_KERNELS(tsuji, 1.5, 0.5)", "damping exponent"),
    ("power_law_tsuji.inl", "(l->n - 1.0) * 0.5", "l->n * 0.5", "damping exponent"),
    ("falcon.inl", "SCREE_DASHPOT_KERNELS(falcon, 1.5, l->m)", "SCREE_DASHPOT_KERNELS(falcon, 1.5, 0.5)", "damping exponent"),
    ("goyal.inl", "scree_ratio_for_force_exit", "scree_ratio_for_overlap_exit", "swapped exit convention"),
    ("anagnostopoulos.inl", "scree_ratio_for_overlap_exit", "scree_ratio_for_force_exit", "swapped exit convention"),
    ("schaefer.inl", "SCREE_DASHPOT_KERNELS(schaefer, 1.5, 0.0)", "SCREE_DASHPOT_KERNELS(schaefer, 1.5, 1.0)", "overlap in the damper"),
    ("ristow.inl", "SCREE_DASHPOT_KERNELS(ristow, 1.5, 0.0)", "SCREE_DASHPOT_KERNELS(ristow, 1.5, 1.0)", "overlap in the damper"),
    ("lee_herrmann.inl", "SCREE_DASHPOT_KERNELS(lee_herrmann, 1.5, 0.0)", "SCREE_DASHPOT_KERNELS(lee_herrmann, 1.5, 0.25)", "damping exponent"),
    ("empirical_m1.inl", "SCREE_DASHPOT_KERNELS(empirical_m1, 1.5, 1.0)", "SCREE_DASHPOT_KERNELS(empirical_m1, 1.5, 0.5)", "damping exponent"),
    ("bordbar_hyppanen.inl", "SCREE_DASHPOT_KERNELS(bordbar_hyppanen, 1.5, 0.65)", "SCREE_DASHPOT_KERNELS(bordbar_hyppanen, 1.5, 0.6)", "damping exponent"),
    ("alizadeh.inl", "4.0 * acos(-1.0) * mu", "2.0 * acos(-1.0) * mu", "wrong factor"),
    ("alizadeh.inl", "scree_signed_power(v, l->r)", "scree_power(fabs(v), l->r)", "sign of the rate lost"),
    ("kuwabara_kono.inl", "36.0 * a", "18.0 * a", "wrong factor"),
    ("brilliantov_1996.inl", "(3.0 * sum)", "(2.0 * sum)", "wrong factor"),
    ("zheng.inl", "2.0 * bulk", "bulk", "wrong factor"),
    ("brilliantov_2015.inl", "4.0 / 3.0 * shear", "2.0 / 3.0 * shear", "viscosity conventions mixed"),
    ("hertz_sqrt_damping.inl", "hertz_sqrt_damping, 1.5, 0.5", "hertz_sqrt_damping, 1.5, 0.25", "damping exponent"),
    ("forms.h", "scree_power(d, 0.25) * scree_larger(v, 0.0);", "scree_power(d, 0.25) * v;", "damping in both phases"),
    ("jankowski_simple.inl", "(2.0 * acos(-1.0))", "acos(-1.0)", "wrong factor"),
    ("jankowski_refined.inl", "4.5 * sqrt(5.0)", "4.0 * sqrt(5.0)", "wrong factor"),
    ("jankowski_exact.inl", "0.5 * sqrt(5.0)", "0.45 * sqrt(5.0)", "wrong factor"),
    ("pant_wijeyewickrema.inl", "(1.0 + l->chi * scree_larger(v, 0.0))", "(1.0 + l->chi * v)", "damping in both phases"),
    ("goldsmith_plastic.inl", "p->u[0] = 1.0 - e2;", "p->u[0] = 1.0 - def->restitution;", "dent from e instead of e^2"),
    ("goldsmith_plastic.inl", "return l->u[0] * power_law_energy", "return power_law_energy", "lost energy"),
    ("goldsmith_plastic.inl", "scree_power(d < deepest ? x : d, l->n)", "scree_power(d < deepest ? d : x, l->n)", "swapped phases"),
    ("hysteretic_linear.inl", "p->k / (def->restitution * def->restitution)", "p->k / def->restitution", "square forgotten"),
    ("hysteretic_linear.inl", "d < deepest ? unloading : l->k * d", "l->k * d", "purely elastic, as a known code has it"),
    ("thornton.inl", "0.5 * acos(-1.0) * yield / modulus", "acos(-1.0) * yield / modulus", "yield overlap"),
    ("thornton.inl", "4.0 / 3.0 * l->u[2] / peak", "2.0 / 3.0 * l->u[2] / peak", "flattened radius"),
    ("thornton.inl", "return 0.4 * thornton_unloading", "return 0.5 * thornton_unloading", "stored energy"),
    ("yigit.inl", "double shift = l->k * (d * sqrt(d) - deepest * sqrt(deepest));", "double shift = l->chi * (d - deepest);", "unloads along the loading slope"),
    ("yigit_linear.inl", "deepest / (deepest - rest) * scree_larger(d - rest, 0.0);", "deepest * deepest / ((deepest - rest) * (deepest - rest)) * scree_larger(d - rest, 0.0);", "the printed, discontinuous slope"),
    ("choi.inl", "return scree_larger(choi_raw(l, elastic, d, v), l->u[0] * elastic);", "return choi_raw(l, elastic, d, v);", "floor forgotten"),
    ("jian.inl", "l->k * d - l->chi * expm1", "l->k * d + l->chi * expm1", "sign of the damping"),
    ("jian.inl", "p->u[0] = 1.0 / t;", "p->u[0] = 2.0 / t;", "wrong delay"),
    ("xiong.inl", "(l->u[0] + l->u[1] * a) * (p - a), 0.0)", "(l->u[0] + l->u[1] * a) * (p + a), 0.0)", "wrong sign"),
    ("roy_carretero.inl", "3.0 * difference * difference) / s", "2.0 * difference * difference) / s", "wrong volume of unequal spheres"),
    ("roy_carretero.inl", "e1 * e2 / (r2 * e1 + r1 * e2)", "e1 * e2 / (r1 * e1 + r1 * e2 * 2.0)", "wrong series stiffness"),
    ("cyl_hertz.inl", "2.0 / stiff", "1.0 / stiff", "wrong factor"),
    ("cyl_johnson.inl", "4.0 * stiff", "2.0 * stiff", "wrong argument of the logarithm"),
    ("cyl_radzimovsky.inl", ": 1.60", ": 2.15", "width of one body with the composite modulus"),
    ("cyl_goldsmith.inl", "first_power ? 1.0 : j.length * j.length", "j.length", "wrong power of the length"),
    ("cyl_dubowsky_freudenstein.inl", "exp(1.0) / (j.radius * h)", "1.0 / (j.radius * h)", "the + 1 forgotten"),
    ("cyl_esdu_78035.inl", "4.0 * j.clearance", "2.0 * j.clearance", "wrong factor"),
    ("cyl_lankarani_nikravesh.inl", "4.0 / 3.0 * j.modulus", "j.modulus", "wrong factor"),
    ("cyl_liu.inl", "* j.length / sqrt(2.0)", "/ sqrt(2.0)", "length forgotten, as printed"),
    ("cyl_pereira.inl", "external ? 0.39 : 0.965", "external ? 0.965 : 0.39", "internal and external swapped"),
    ("cyl_persson.inl", "- 2.0 * b2 * b2;\n  return denominator > 0.0", "- b2 * b2;\n  return denominator > 0.0", "wrong factor"),
    ("mindlin.inl", "double scale = d < last ? sqrt(d / last) : 1.0;", "double scale = 1.0;", "no rescaling on unloading"),
    ("mindlin.inl", "double force = scree_larger(scree_smaller(trial, limit), -limit);", "double force = trial;", "no friction cone"),
    ("coulomb.inl", "return -limit * share;", "return limit * share;", "friction that pushes"),
    ("tangential_linear.inl", "memory[0] = force == trial ? x : -(force + t->gt * vt) / t->kt;", "memory[0] = x;", "spring not reset while sliding"),
    ("roy_carretero.inl", "d1 * d2 / (r2 * d1 + r1 * d2)", "d1 * d2 / (r1 * d1 + r2 * d2)", "viscosities of the bodies swapped"),
    ("choi.inl", "p->k / pow(def->speed, p->r)", "p->k / def->speed", "rate exponent forgotten"),
    ("cyl_pereira.inl", "0.0151 * dr + 1.151", "0.0151 * dr + 1.115", "digits swapped"),
    ("prepare.c", "return hollow ? second :", "return hollow ? first :", "mass of the hollow instead of the ball"),
    ("prepare.c", "return 4.0 / 3.0 * pi * r * r * r * density;", "return pi * r * r * r * density;", "mass of a sphere"),
    ("line.c", "out->force_per_length = out->force / def->length;", "out->force_per_length = out->force * def->length;", "force per length"),
    ("kernel.h", "return v0 > 0.0 ? p->factor", "return v0 != 0.0 ? p->factor", "latched damping while separating"),
    ("impact/timestep.c", "out->recommended = 0.1 * out->lagged;", "out->recommended = 0.5 * out->lagged;", "advice"),
    ("impact/trace.c", ".kinetic = 0.5 * m->mass * p->v * p->v,", ".kinetic = m->mass * p->v * p->v,", "energy of a trace"),
    ("impact/oblique.c", "r->rebound_angle = atan2(r->tangential_speed, r->normal.exit_speed);", "r->rebound_angle = atan2(r->normal.exit_speed, r->tangential_speed);", "angle from the surface"),
    ("impact/collision.c", "r->duration += p.d / r->exit_speed;", "r->duration += 2.0 * p.d / r->exit_speed;", "coasting twice as long"),
    ("impact/closed.c", "sqrt(1.2 * sqrt(3.0))", "sqrt(1.2)", "Thornton's constant"),
    ("impact/exact.c", "pow(gap, -0.5 * o->q)", "pow(gap, -o->q)", "duration ratio"),
    ("kernel.h", "if (n == 1.5) return d * sqrt(d);", "if (n == 1.5) return d * sqrt(sqrt(d));", "wrong power"),
]


def located(name):
    return name if "/" in name else "models/" + name


def compile_and_link(source, build, mutant, workplace, compiler):
    """Builds the mutant's runner; returns its path or raises CalledProcessError."""
    flags = ["-std=c17", "-O0", "-fno-math-errno", "-ffp-contract=off", "-w", "-I" + workplace, "-I" + source + "/include",
             "-I" + build + "/generated"]
    unit = located(mutant) if mutant.endswith(".c") else "models/catalogue.c"
    objects = [os.path.join(workplace, "mutant.o")]
    subprocess.run([compiler, *flags, "-c", os.path.join(workplace, unit), "-o", objects[0]], check=True)
    runner = os.path.join(workplace, "runner")
    subprocess.run([compiler, *flags, os.path.join(source, "test/mutation/runner.c"), *objects,
                    os.path.join(build, "libscree_verify.a"), os.path.join(build, "libscree.a"), "-lm", "-o", runner],
                   check=True)
    return runner


def check_command(source, build, compiler):
    """The command itself, linked with one mutant: `scree verify` must print FAIL and exit with status 1."""
    name, before, after, _ = MUTANTS[0]
    workplace = tempfile.mkdtemp(prefix="scree-mutant-")
    try:
        shutil.copytree(os.path.join(source, "src"), workplace, dirs_exist_ok=True)
        path = os.path.join(workplace, located(name))
        text = open(path, encoding="utf-8").read()
        open(path, "w", encoding="utf-8").write(text.replace(before, after))
        compile_and_link(source, build, name, workplace, compiler)
        command = os.path.join(workplace, "scree")
        objects = glob.glob(os.path.join(build, "CMakeFiles/scree.dir/cli/*.o"))
        libraries = [os.path.join(build, lib) for lib in ("libscree_verify.a", "libscree_io.a", "libscree.a")]
        subprocess.run([compiler, *objects, os.path.join(workplace, "mutant.o"), *libraries, "-ljansson", "-ludunits2", "-lfyaml", "-lm",
                        "-o", command], check=True)
        result = subprocess.run([command, "verify", "reference"], capture_output=True, text=True, timeout=300)
        return result.returncode == 1 and "FAIL" in result.stdout
    finally:
        shutil.rmtree(workplace)


def judge(arguments):
    source, build, compiler, mutant = arguments
    name, before, after, kind = mutant
    workplace = tempfile.mkdtemp(prefix="scree-mutant-")
    try:
        shutil.copytree(os.path.join(source, "src"), workplace, dirs_exist_ok=True)
        path = os.path.join(workplace, located(name))
        text = open(path, encoding="utf-8").read()
        if text.count(before) != 1:
            return mutant, "stale", f"found {text.count(before)} times"
        open(path, "w", encoding="utf-8").write(text.replace(before, after))
        runner = compile_and_link(source, build, name, workplace, compiler)
        result = subprocess.run([runner], capture_output=True, text=True, timeout=300)
        if result.returncode == 1:
            return mutant, "caught", result.stdout.strip()
        return mutant, "survived", f"exit status {result.returncode}"
    except subprocess.TimeoutExpired:
        return mutant, "survived", "no verdict in time"
    finally:
        shutil.rmtree(workplace)


def main():
    source, build = (os.path.abspath(path) for path in sys.argv[1:3])
    compiler = sys.argv[3] if len(sys.argv) > 3 else "cc"
    jobs = [(source, build, compiler, mutant) for mutant in MUTANTS]
    caught = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, _, _, kind), verdict, how in pool.map(judge, jobs):
            caught += verdict == "caught"
            print(f"{verdict:9} {name}: {kind} ({how})", flush=True)
    red = check_command(source, build, compiler)
    print(f"the command {'exits with 1 and prints FAIL' if red else 'DOES NOT TURN RED'} for a mutant")
    print(f"{caught} of {len(MUTANTS)} faults caught")
    print(f"{caught + red} passed, {len(MUTANTS) - caught + (not red)} failed")
    return 0 if red and caught == len(MUTANTS) else 1


if __name__ == "__main__":
    sys.exit(main())
