#!/usr/bin/python3
"""Deliberate faults in the laws and in the particle engine: each must turn the verification red.

Usage: mutate.py SOURCE_DIR BUILD_DIR [COMPILER [PART]]

A mutant is one replacement in one source file. The file's translation units (catalogue.c for the laws' .inl and headers, the
includers in src/dem for the engine's headers) are compiled from a copy of src/ and linked with the rest of the library and the oracles;
the runner must exit with status 1. Mutants of src/dem face the suite dem.contact, those of SCENE_MUTANTS random scenes. A mutant that survives, or whose text is no
longer found exactly once, is a failure of this test. PART, as in dem/list.c, selects the files whose path contains it.
"""
import atexit
import concurrent.futures
import functools
import glob
import os
import re
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
    ("forms.h", "scree_power_of(l, d, 0.25) * scree_larger(v, 0.0);", "scree_power_of(l, d, 0.25) * v;", "damping in both phases"),
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
    ("yigit.inl", "double shift = l->k * (d * scree_root_of(l, d) - deepest * sqrt(deepest));", "double shift = l->chi * (d - deepest);", "unloads along the loading slope"),
    ("yigit_linear.inl", "deepest / (deepest - rest) * scree_larger(d - rest, 0.0);", "deepest * deepest / ((deepest - rest) * (deepest - rest)) * scree_larger(d - rest, 0.0);", "the printed, discontinuous slope"),
    ("choi.inl", "return scree_larger(choi_raw(l, elastic, d, v), l->u[0] * elastic);", "return choi_raw(l, elastic, d, v);", "floor forgotten"),
    ("jian.inl", "l->k * d - l->chi * expm1", "l->k * d + l->chi * expm1", "sign of the damping"),
    ("jian.inl", "p->u[0] = 1.0 / t;", "p->u[0] = 2.0 / t;", "wrong delay"),
    ("xiong.inl", "(l->u[0] + l->u[1] * a) * (p - a), 0.0)", "(l->u[0] + l->u[1] * a) * (p + a), 0.0)", "wrong sign"),
    ("roy_carretero.inl", "(12.0 * r - 4.0 * sum * d + q * d * d)", "(12.0 * r - 3.0 * sum * d + q * d * d)", "wrong volume of unequal spheres"),
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
    ("impact/collision.c", "if (is_behind(a, EVENT_TURN)) return", "if (false) return", "a turn that lies behind its branch"),
    ("impact/collision.c", "if (is_behind(a, EVENT_EXIT)) return", "if (false) return", "an exit that lies behind its branch"),
    ("impact/closed.c", "sqrt(1.2 * sqrt(3.0))", "sqrt(1.2)", "Thornton's constant"),
    ("impact/exact.c", "pow(gap, -0.5 * o->q)", "pow(gap, -o->q)", "duration ratio"),
    ("kernel.h", "if (n == 1.5) return d * root;", "if (n == 1.5) return d * fourth;", "wrong power"),
    # ---- the engine: geometry and friction of eight pairs at a time
    ("dem/mesh.c", "return sign * height;", "return height;", "one side of a mesh only"),
    ("dem/mesh.c", "if (!(along > 0.0 && along < 1.0)) continue;", "", "sides of triangles without an end"),
    ("dem/mesh.c", "has_vertex(f, foot[i].end[1]) && comes_first(&foot[j], &foot[i]);", "false;", "points that a neighbour comes nearer than"),
    ("dem/mesh.c", "!(dot(foot[i].n, foot[j].n) > cosine)) continue;", "true) continue;", "a contact for every facet"),
    ("dem/mesh.c", "u[i] = 0.5 * dot(e[i], e[i])", "u[i] = 0.6 * dot(e[i], e[i])", "weights of the blend"),
    ("dem/mesh.c", "all.n[k] += radius * weight[i] / foot[i].d * turn[k];", ";", "edges that do not turn"),
    ("dem/mesh.c", "turn[k] = v[k] - along * foot->n[k] - slip * side[k];", "turn[k] = v[k] - along * foot->n[k];", "edges that turn like corners"),
    ("dem/site.c", "match(&w->pairs, site, contact, contacts, 1.0 - w->def.max_overlap, slot_of);", "match(&w->pairs, site, contact, contacts, 1.0, slot_of);", "memory lost from step to step"),
    ("dem/site.c", "double aim[3] = {-q->aim[0][p], -q->aim[1][p], -q->aim[2][p]};", "double aim[3] = {q->aim[0][p], q->aim[1][p], q->aim[2][p]};", "normal of a mesh reversed"),
    ("dem/site.c", "scree_mesh_reach(reach_of(w, &w->record[grain])) + scree_wall_skin(w, scree_pace_of(w, grain))", "w->record[grain].r", "triangles not listed ahead"),
    ("dem/runs.c", "* part / each;", "* part / (each + 1);", "the last grains of a share left out"),
    ("dem/list.c", "if (now != *grain) *grain = now;", "", "those who left, in the list"),
    ("dem/change.c", "    move_grain(w, from, to);", "", "gaps that nobody fills"),
    ("dem/change.c", "scree_put_load(w->load, to, scree_load_of(w->load, from));", "", "grains that fill a gap bear its load"),
    ("dem/friction.h", "smaller_of(now / divisor(was), splat(1.0))", "now / divisor(was)", "friction that grows with the load"),
    ("dem/kernels.c", "gift.own.c[k] = difference_of(gift.own.c[k], u.force[k]);", "gift.own.c[k] = difference_of((Int){0}, u.force[k]);", "only the last force of a slice"),
    ("dem/kernels.c", "if (slides) recall(b, eight, law, stiffness, b->groups - 1, l, was, &mean);", "", "the last group of a block does not recall"),
    ("dem/kernels.c", "if (ends) scatter(", "if (ends && g > 0) scatter(", "the first slice of a block forgotten"),
    ("dem/kernels.c", "if (owed) write_row(owed->four, owed->two, &rows, l);", "if (owed) *owed = (Elsewhere){.grain = grain[l]};", "nothing for other threads' grains"),
    ("dem/kernels.c", "beyond->slot[g] + l, touch", "beyond->slot[0] + l, touch", "all of a block to the first grains of the border"),
    ("dem/kernels.c", "border->slot + f->run->border + group}", "border->slot + group}", "all runs to the border's first places"),
    ("dem/elsewhere.c", "if (owed->summed) memset(", "if (false) memset(", "sums of the border of all steps"),
    ("dem/elsewhere.c", "*slot = at ? (int32_t)(at - border->grain) : 0;", "*slot = 0;", "one grain bears the border"),
    ("dem/contact.c", "if (b->packed) unpack(w, &b->pack, b->alike);", "", "packed pairs forget"),
    ("dem/contact.c", "KEPT(q, last, p) = KEPT(pack, last, s),", "", "packed pairs forget their overlap"),
    ("dem/pairs.c", "KEPT(&b->fresh, i, at) == a ? 1.0 : -1.0", "1.0", "history of a pair whose roles change"),
    ("dem/kernels.c", "put3(COLUMNS(b->n), s, scale(per, gap->dx));", "put3(COLUMNS(b->n), s, scale(-per, gap->dx));", "normal reversed"),
    ("dem/kernels.c", "push = scale(get(b->force + s) * per_force, n);", "push = scale(get(b->force + s) * -per_force, n);", "repulsion that pulls"),
    ("dem/friction.h", "minus(scale(shrink, h), scale(adds, slide))", "plus(scale(shrink, h), scale(adds, slide))", "sign of friction"),
    ("dem/kernels.c", "put(b->arm1 + s, first->r - half);", "put(b->arm1 + s, first->r);", "arm of the first grain"),
    ("dem/kernels.c", "put(b->arm2 + s, second->r - half);", "put(b->arm2 + s, first->r - half);", "arm of the second grain"),
    ("dem/kernels.c", "two = scale(get(b->arm2 + s) * per_torque, turn);", "two = scale(get(b->arm2 + s) * -per_torque, turn);", "torque on the second grain"),
    ("dem/friction.h", "Vector flat = minus(h, scale(along, n)),", "Vector flat = h,", "history not turned into the plane of a wall's contact"),
    ("dem/friction.h", "turned = plus(flat, scale(angle, cross(n, h)));", "turned = flat;", "history not turned about a wall's normal"),
    ("dem/friction.h", "plus(minus(h, scale(dot(h, n), mean)), scale", "plus(h, scale", "history not turned into the contact's plane"),
    ("dem/friction.h", "return plus(minus(h, scale(dot(h, n), mean)), scale(angle, cross(n, h)));", "return minus(h, scale(dot(h, n), mean));", "history not turned about the normal"),
    ("dem/runs.c", "like->across |= across;", "(void)across;", "pairs around a period at the other end of it"),
    ("dem/kernels.c", "run->across || ", "", "images looked for only after a grain went around"),
    ("dem/friction.h", "dot(plus(first->w, second->w), n)", "dot(plus(first->w, first->w), n)", "history turned with one grain's spin"),
    ("dem/friction.h", ".slide = plus(flat, cross(arms, n)),", ".slide = flat,", "surfaces of grains that spin do not slide"),
    ("dem/friction.h", "*shrink = smaller_of(now / divisor(was), splat(1.0));", "*shrink = splat(1.0) + 0.0 * (now + was);", "no rescaling on unloading"),
    ("dem/friction.h", "clip_counted(&f.force, limit, &f.size2, often, lanes);\n  f.history", "f.size2 = dot(f.force, f.force);\n  f.history", "no friction cone"),
    ("dem/friction.h", "often || bits_of(longer) != 0) {", "!often && bits_of(longer) != 0) {", "no friction cone where most slip"),
    ("dem/friction.h", "splat(-1.0 / kt)", "splat(1.0 / kt)", "spring reset to the wrong side"),
    ("dem/friction.h", ".force = scale(-limit * per, slide)", ".force = scale(limit * per, slide)", "friction that pushes"),
    ("dem/kernels.c", "only(both(touch, below(splat(0.0), force)), force)", "only(touch, force)", "no clamp"),
    ("dem/kernels.c", "whole_of(dx * p->per[axis])", "only(below(splat(0.0), dx), whole_of(dx * p->per[axis]))", "image on one side only"),
    ("dem/kernels.c", "first->r * second->r / gap->reach", "0.25 * gap->reach", "effective radius of unlike grains"),
    ("dem/friction.h", "(root_reff * (now + was))", "(now + was)", "stiffness of friction"),
    ("dem/kernels.c", "(press + force) * (d - last)", "2.0 * force * (d - last)", "work of the normal force"),
    ("dem/contact.c", "fmin(b->d[s] - approach(w, KEPT(q, i, p), KEPT(q, j, p), b, s) * scree_contact_dt(w), 0.0)", "0.0", "work in the step of first touch"),
    ("dem/kernels.c", "dot(plus(drag.before, drag.force), slide)", "dot(drag.force, slide)", "work of friction"),
    ("dem/kernels.c", "sum[k] += k == 0 ? fx[l]", "sum[k] += k == 0 ? -fx[l]", "force on a wall reversed"),
    ("dem/side.c", "lever[k] = side.lever[k] + arm1 * n[k];", "lever[k] = side.lever[k];", "torque on a wall"),
    # contacts and walls
    ("dem/side.c", "arm = side.r - 0.5 * d, size2 =", "arm = side.r, size2 =", "arm on a wall"),
    ("dem/side.c", "middle * n[k] + (surface[y]", "middle * n[k] - (surface[y]", "sliding on a wall"),
    ("dem/side.c", "put(b->reff + s, side.r);", "put(b->reff + s, 0.5 * side.r);", "effective radius on a wall"),
    ("dem/contact.c", "scree_law_touch(pair, v0, memory)", "scree_law_touch(pair, 1.0, memory)", "speed not latched"),
    ("dem/kernels.c", "below(splat(c->latch * c->latch), latched", "below(splat(0.1 * c->latch * c->latch), latched", "latched speed raised too early"),
    ("dem/contact.c", "to_units(before - after, w->energy_unit)", "to_units(before, w->energy_unit)", "energy of the clamp"),
    ("dem/contact.c", "0.5 * press * v * w->dt", "press * v * w->dt", "work of the last step"),
    ("dem/contact.c", "b->memory[s] += scree_contact_dt(w) * scree_law_rate", "b->memory[s] += 1.5 * scree_contact_dt(w) * scree_law_rate", "memory that flows too fast"),
    ("dem/friction.h", "share = speed / veps;", "share = 2.0 * speed / veps;", "regularisation"),
    ("dem/friction.h", "turn_alone(get3(b->at.roll, (size_t)s), n, turned)", "get3(b->at.roll, (size_t)s)", "rolling history not turned"),
    ("dem/friction.h", "root(kr * (1.4 / inverse))", "root(kr * (0.4 / inverse))", "inertia of rolling"),
    ("dem/friction.h", "cr = 2.0 * c->def.rolling_damping", "cr = c->def.rolling_damping", "damping of the rolling spring"),
    ("dem/friction.h", "per = get(b->at.k + s) * reff * reff * (2.25 *", "per = get(b->at.k + s) * reff * reff * (2.0 *", "rolling stiffness"),
    ("dem/friction.h", "if (c->n == 1.5) return per * root(d);", "return per * root(d);", "rolling stiffness of Hertz's exponent for linear laws"),
    ("dem/friction.h", "if (!c->power_law) return get(b->secant + s)", "if (!c->power_law) return per / get(b->reff + s)", "rolling stiffness of laws that are no power"),
    ("dem/friction.h", "? get3(COLUMNS(((Block *)b)->dash), (size_t)s) : scale(splat(-kt), h)", "? scale(splat(-1.0), plus(scale(splat(kt), h), dash)) : scale(splat(-kt), h)", "dashpot of friction booked beyond Coulomb's limit"),
    ("dem/friction.h", "return SCREE_HOLDS / (inverse * (w->dt * w->dt));\n  if", "return 0.001 * SCREE_HOLDS / (inverse * (w->dt * w->dt));\n  if", "constant rolling resistance that yields"),
    ("dem/friction.h", "choose(slips, splat(0.0), cr), turn))", "splat(0.0), turn))", "rolling spring without a dashpot"),
    ("dem/kernels.c", "dot(plus(then, torque), at.spin)", "dot(plus(torque, torque), at.spin)", "rolling booked as if its torque had been there before"),
    ("dem/kernels.c", "put_floats3(q->torque_prev, p, only3(touch, torque));", "", "torques of the step before forgotten"),
    ("dem/side.c", "lever[k] = side.lever[k] + arm1 * n[k];", "lever[k] = side.lever[k] + arm * n[k];", "lever of a valley's shortened normal"),
    ("dem/kernels.c", "Wide *sum = worker->now.wall", "int64_t *sum = (int64_t *)worker->now.wall", "sums of walls that run over"),
    ("dem/kernels.c", "both(below(size2, splat(f->light2)), below(work2", "both(below(size2, splat(0x1p122 * f->w->force_unit * f->w->force_unit)), below(work2", "sums of grains that run over"),
    ("dem/world.c", "  w->starting = true;\n", "", "histories that go on at the start"),
    ("dem/ledger.c", "(m->kinetic - m->scheme + m->kinetic_walls", "(m->kinetic + m->kinetic_walls", "the scheme's own energy of contacts"),
    ("dem/material.c", "return ma == mb ? r2 > r1 : mb == c->first;", "return false;", "bodies told apart by their order in memory"),
    ("dem/friction.h", "*h = plus(*h, scale(splat(scree_contact_dt(w)), turn));", "*h = minus(*h, scale(splat(scree_contact_dt(w)), turn));", "rolling spring wound backwards"),
    ("dem/friction.h", "Mask slips = clip(h, only(below(splat(0.0), kr), limit / kr), &size2);", "Mask slips = mask_of(0);", "rolling spring without an end"),
    ("dem/friction.h", "limit = c->def.rolling * reff * force,", "limit = c->def.rolling * get(b->arm1 + s) * force,", "limit of rolling between grains"),
    ("dem/friction.h", "Vector torque = minus(scale(-kr, *h),", "Vector torque = minus(scale(kr, *h),", "rolling torque that drives"),
    ("dem/friction.h", "-smaller_of(limit * reff, ", "-smaller_of(limit, ", "viscous rolling torque"),
    ("dem/friction.h", "c->def.twisting * reff * force, inverse), n));", "c->def.rolling * reff * force, inverse), n));", "limit of twisting"),
    ("dem/kernels.c", "at.spin) * f->rubbed)", "at.spin) * (0.5 * f->rubbed))", "work of rolling and twisting"),
    ("dem/elsewhere.c", "for (int k = 0; k < 4; k++) scree_add", "for (int k = 3; k < 4; k++) scree_add", "forces between threads"),
    ("dem/elsewhere.c", "for (int k = 0; k < 2; k++) scree_add", "for (int k = 1; k < 2; k++) scree_add", "a torque between threads"),
    ("dem/kernels.c", "rolls ? finish_rolling_walls(&f) : finish_walls(&f);", "finish_walls(&f);", "walls that nothing rolls on"),
    ("dem/kernels.c", "gap->closing = dot(difference_of_rows(first->v, second->v), gap->dx);", "gap->closing = dot(difference_of_rows(second->v, first->v), gap->dx);", "equal grains that damp backwards"),
    ("dem/kernels.c", "measure_way(p, gap, difference_of_rows(second->x, first->x));", "measure_way(p, gap, difference_of_rows(first->x, second->x));", "equal grains that attract"),
    ("dem/elsewhere.c", "if (tile < self->tile || tile >= self->tile_end) continue;", "", "help that every thread adds"),
    ("dem/elsewhere.c", "memset(help->load.four, 0, grains * sizeof *help->load.four);", "", "help that begins with rubbish"),
    ("dem/elsewhere.c", "worker->sums = (Sums){from, first, w->tile[tile + 1].grains, NULL};", "worker->sums = (Sums){from, first, w->tile[tile + 1].grains, NULL}, worker->helps--;", "help that nobody gets"),
    ("dem/pass.c", "  worker->helps = 0;", "", "help of the last step added again"),
    ("dem/elsewhere.c", "  owed->count = 0;", "", "what was owed in the last step added again"),
    ("dem/elsewhere.c", "  self->got = true;", "", "what others owe added twice"),
    ("dem/search.c", "j > i ? j - i <= w->count / 2 :", "j > i ? true :", "pairs around a period that two threads have"),
    # motion
    ("dem/motion.c", "? 0.5 * w->dt * w->field[m][k]", "? 0.49 * w->dt * w->field[m][k]", "gravity"),
    ("dem/sweep.c", "(Real2){m, 0.4 * m * r * r}", "(Real2){m, 0.5 * m * r * r}", "moment of inertia"),
    ("dem/sweep.c", "vector_of(add_halves(u, half_from(h)), v)", "vector_of(u, v)", "velocity not predicted: first order"),
    ("dem/sweep.c", "x = vector_of(add_halves(x, scale_half(dt, u)), x);", "x = add_halves(x, scale_half(dt, u));", "radius grows with the spin"),
    ("dem/sweep.c", "(bits_in(&record->m) ^ mass) | ", "", "mass of the grain before"),
    ("dem/sweep.c", "fixed = scree_is_fixed(record);", "fixed = fixed || scree_is_fixed(record);", "grains after a fixed one do not fall"),
    ("dem/sweep.c", "if (__builtin_expect(!is_within(x, low, high), 0)) ", "if (0) ", "no periodic wrap"),
    ("dem/sweep.c", "kick = still;", "", "fixed grains fall"),
    ("dem/early.c", "if (tile > other->user) other->user = tile;", "", "grains go on that later tiles need"),
    ("dem/early.c", "at > tile ? &other->kept : &other->held", "&other->kept", "grains go on that the far end of a period needs in this step"),
    ("dem/early.c", "atomic_store_explicit(&other->waits, true, memory_order_relaxed);", "", "grains go on that another thread needs"),
    ("dem/pass.c", "!w->tile[*t].waits || scree_get_owed(w, number)", "true", "grains go on without what others owe them"),
    ("dem/pass.c", "if (tile->bound || (tile->owes", "if ((tile->owes", "grains meet those at the far end of a period, a step behind"),
    ("dem/pass.c", "tile->bound || (tile->owes && !others_have_moved(w, number))", "tile->bound", "grains meet those of other threads, a step behind"),
    ("dem/pass.c", "!tile->barred && !tile->kept && ", "!tile->barred && ", "grains go on that the far end of a period needs"),
    ("dem/pass.c", "w->tile[other].barred = true;", ";", "grains go on that tiles before them need"),
    ("dem/pass.c", "if (w->tile[t].turns == 0) return false;", ";", "contacts with grains that stayed behind"),
    ("dem/motion.c", "    w->tile[tile].turns--;", "    ;", "tiles that went on never do again"),
    ("dem/share.c", "while (scree_take_tile(worker, &piece)) job(", "while (scree_take_tile(worker, &piece)) if (piece > first) job(", "tiles that nobody sweeps or searches"),
    ("dem/pass.c", "w->tile[*t].turns > 0 || w->tile[*t].held", "w->tile[*t].turns > 0", "grains go on that tiles after them need"),
    ("dem/pass.c", "if (front >= worker->head) scree_show_owed(worker);", "scree_show_owed(worker);", "what a thread owes shown before it is complete"),
    ("dem/pass.c", "tile->meets++;", ";", "contacts of second steps twice"),
    ("dem/pass.c", "  worker->next = now;", "  worker->next = now, worker->next.tally = (Tally){0};", "work forgotten between two steps of a pass"),
    ("dem/motion.c", "shift = -length;", "shift = -0.999 * length;", "periodic wrap"),
    ("dem/motion.c", "s->gained += llrint(-r->m", "s->gained += llrint(0.5 * -r->m", "potential gained by a crossing"),
    ("dem/motion.c", "* w->torque_unit * spin[k]", "* w->torque_unit * 0.0", "work of spinning fixed grains"),
    ("dem/motion.c", "power -= (double)load.force[k]", "power += (double)load.force[k]", "work of moving fixed grains"),
    ("dem/bulk.c", "b->strayed[p] += b->stretch *", "b->strayed[p] += 0.1 *", "list kept too long"),
    ("dem/bulk.c", "most = fmax(most, share[p]);", "most = share[0];", "only the slow end the list"),
    ("dem/bulk.c", "b->strayed[p] += b->stretch * farthest(&rest[p], a)", "b->strayed[p] += b->stretch * farthest(&rest[0], a)", "the fast stray like the slow"),
    ("dem/sweep.c", "widen(middle, s->least[pace], s->most[pace]);", "widen(middle, s->least[0], s->most[0]);", "extremes of the fast forgotten"),
    # near pairs that sleep
    ("dem/bulk.c", "double closed = (sqrt(", "double closed = (0.2 * sqrt(", "near pairs sleep too long"),
    ("dem/bulk.c", "const Extent *box = any ? &all : &rest[0];", "const Extent *box = &rest[0];", "near pairs of the fast sleep like those of the slow"),
    ("dem/bulk.c", "* w->dt + squeezed)", "* w->dt + 0.0 * squeezed)", "near pairs sleep while the field squeezes them"),
    ("dem/kernels.c", "least = smaller_of(root(k->gap[l].d2) - k->gap[l].reach, least);", "least = k->gap[l].reach;", "a group sleeps until its farthest pair could touch"),
    ("dem/runs.c", "at, at + *count, b->wakes);", "at, at + *count, 0);", "runs share their groups' sleep"),
    ("dem/pairs.c", "memset(p->wake, 0, (wakes + GROUPS_AT_ONCE) * sizeof *p->wake);", "memset(p->wake, 0x7f, (wakes + GROUPS_AT_ONCE) * sizeof *p->wake);", "a new list sleeps"),
    ("dem/engine.h", "r + w->bulk.allowance[scree_pace_of(w, grain)];", "r + w->bulk.allowance[0];", "fast grains listed like slow ones"),
    # the ledger
    ("dem/ledger.c", "+ 0.5 * inertia(r) *", "+ 0.4 * inertia(r) *", "energy of rotation"),
    ("dem/ledger.c", "0.5 * h2 / kt", "h2 / kt", "energy of the tangential spring"),
    ("dem/ledger.c", "held += 0.5 * rolling_stiffness(w, c, q, p)", "held += rolling_stiffness(w, c, q, p)", "energy of the rolling spring"),
    ("dem/ledger.c", "- w->ledger.jump", "+ w->ledger.jump", "potential of crossings"),
    ("dem/ledger.c", "l->tangential - shear + 0.0", "l->tangential + 0.0", "friction booked before it is lost"),
    ("dem/ledger.c", "l->viscous - viscous - l->clamp", "l->viscous - viscous", "clamp booked twice"),
    ("dem/ledger.c", "l->start + m->work - (", "l->start - (", "work left out of the balance"),
    ("dem/ledger.c", "+ inertia(r) * w->turn[i].w[axis];", "+ 0.9 * inertia(r) * w->turn[i].w[axis];", "angular momentum of spins"),
    # list and order
    ("dem/kernels.c", "if (!keeps_force(law)) put3", "if (keeps_force(law)) put3", "friction of springs is not the force"),
    ("dem/pairs.c", "to->press[t] = from->press[f];", "", "force forgotten by a rebuild"),
    ("dem/pairs.c", "to->roll[k][t] = sign * from->roll[k][f];", "to->roll[k][t] = from->roll[k][f];", "rolling history of swapped roles"),
    ("dem/search.c", "for (int level = own; level < b->grids.levels", "for (int level = own; level <= own", "coarser level not searched"),
    ("dem/grid.c", "(scree_reach_of(g->w, i) + g->doubt)", "(r->r + g->doubt)", "skin forgotten"),
    ("dem/grid.c", "grid->r[at] = (float)(scree_reach_of(w, i)", "grid->r[at] = (float)(w->record[i].r", "partners without a skin of their own"),
    ("dem/grid.c", "*result = around(at, n);", "*result = at < 0 ? 0 : n - 1;", "no neighbours beyond the boundary"),
    ("dem/grid.c", "n + x0, n - 1, y, z, row", "n - 1, n - 2, y, z, row", "no neighbours beyond the first boundary"),
    ("dem/bulk.c", "? strayed / allowed", "? 0.1 * strayed / allowed", "rebuilt too late"),
    ("dem/bulk.c", "b->wall_way[p] += way;", "b->wall_way[p] += 0.01 * way;", "walls looked at too late"),
    ("dem/order.c", "s->place[s->from[i].index] = (int32_t)i;", "s->place[i] = s->from[i].index;", "contacts carried to the wrong grains by a sort"),
    # materials, the step, the world
    ("dem/material.c", "p.mass = 1.0 / (1.0 / m1 + 1.0 / m2);", "p.mass = m1;", "effective mass"),
    ("dem/material.c", "def.separation = SCREE_CLAMPED;", "def.separation = SCREE_AT_OVERLAP;", "calibration for another exit"),
    ("dem/material.c", "w->dt = 0.1 * limit;", "w->dt = 0.11 * limit;", "automatic time step"),
    ("dem/material.c", "double largest = 0.25 * limit;", "double largest = 2.5 * limit;", "long steps accepted"),
    ("dem/world.c", "w->def.body_force[k] / w->material[m].density", "w->def.body_force[k] / w->material[0].density", "body force by another density"),
    ("dem/world.c", "scree_composite_shear_modulus(w->material[a], w->material[b])", "scree_composite_shear_modulus(w->material[a], w->material[a])", "shear modulus of one material"),
    ("dem/world.c", "w->ledger.viscous = -m.dissipated_viscous;", "", "energy stored at the start"),
    ("dem/ledger.c", "reff * reff * 2.25 *", "reff * reff * 2.0 *", "rolling stiffness of the ledger"),
    # walls that move
    ("dem/body.c", "double work = -0.5 * w->dt * power_on", "double work = -0.4 * w->dt * power_on", "work of a wall"),
    ("dem/shapes.h", "*v += f->v[k];", "*v += 0.0;", "approach to a moving wall"),
    ("dem/shapes.h", "*u += f->middle_v[k];", "*u += 0.0;", "friction on a moving wall"),
    ("dem/side.c", "choose(those, splat(f->middle_w[k]), g->w[k])", "g->w[k]", "spin of a wall"),
    ("dem/body.c", "(1.0 + share * c->damping)", "(1.0 + 0.0 * c->damping)", "damper of a servo"),
    ("dem/body.c", "0.5 * w->dt * c->damping * c->v * c->u", "0.25 * w->dt * c->damping * c->v * c->u", "loss in a servo's damper"),
    ("dem/body.c", "scree_motion_probe(&b->course[i], b->now, i == servo, &f)", "scree_motion_probe(&b->course[i], b->now, false, &f)",
     "what pushes a servo"),
    ("dem/body.c", "w->ledger.walls += 0.5 * c->inertia * c->v * c->v;", "", "a servo that is held"),
    ("dem/path.c", "f->v[k] += swing[k];", "f->v[k] -= swing[k];", "velocity of a turning wall"),
    ("dem/path.c", "q[y][z] -= s * axis[k];", "q[y][z] += s * axis[k];", "rotation of a wall"),
    ("dem/path.c", "multiply(q, f->w, f->w);", "", "spin that is carried"),
    ("dem/path.c", "swing_rate = turn * rate * cos(angle)", "swing_rate = turn * cos(angle)", "rate of a ramp"),
    ("dem/path.c", "3.0 * t - 4.0", "3.0 * t - 3.0", "rate between waypoints"),
    ("dem/shapes.h", "own[k] += f->home[k];", "own[k] += 0.0;", "place of a turning wall"),
    ("dem/shapes.h", "space[k] = scree_along(own, f->turn[k]);", "space[k] = own[k];", "normal of a turning wall"),
    ("dem/pairs.c", "!body->present && old->press[f] != 0.0F", "!body->present && old->press[f] == 0.0F", "energy of a removed wall"),
    ("dem/kernels.c", "+ (double)t[k][l] * per", "", "couples on a wall"),
    ("dem/kernels.c", "put(b->fourth + s, root(once));", "put(b->fourth + s, once);", "root for its root"),
    ("dem/runs.c", "like->even &= a->r == like->r && c->r == like->r;", "like->even &= a->r == like->r;", "unlike partners taken for alike"),
    ("dem/runs.c", "like->alike &= a->m == like->m && c->m == like->m;", "like->alike &= a->m == like->m;", "partners of another mass taken for alike"),
    ("dem/contact.c", "if (b->all_k != law.k) fill(b->k, law.k);", "if (b->all_k == 0.0) fill(b->k, law.k);", "stiffness of another run"),
    ("dem/contact.c", "KEPT(&w->pairs, i, some ? p : run->begin);", "KEPT(&w->pairs, i, run->begin);", "nobody taken for the first of a run"),
    ("dem/contact.c", "    w->pairs.k[p] = k,", "    w->pairs.k[p] = b->packed ? w->pairs.k[p] : k,", "a stiffness that stays in the pack"),
    ("dem/contact.c", "keep_stiffness(w, b, s, 0.0,", "keep_stiffness(w, b, s, b->alike && b->packed ? 1.0 : 0.0,", "contacts that never end"),
    ("dem/contact.c", "reff = b->even ? r * r / (r + r) : NAN;", "reff = b->even ? r : NAN;", "radius for the effective one"),
    ("dem/runs.c", "like->even && like->alike && a == b && !scree_class_of(w, a, b)->freezes", "like->even && like->alike && a == b || !scree_class_of(w, a, b)->freezes", "latched damping taken for alike"),
    # walls
    ("dem/shapes.h", "normal[k] = splat(-w->axis[k]);", "normal[k] = splat(w->axis[k]);", "normal of a plane"),
    ("dem/shapes.h", "w->inside ? w->radius - rounded :", "w->inside ? w->radius - 0.99 * rounded :", "distance from a round wall"),
    ("dem/shapes.h", "side = w->inside ? slope : splat(-1.0);", "side = slope;", "normal of a round wall from outside"),
    ("dem/shapes.h", "return along * s - distance * c;", "return along * c - distance * s;", "distance from a cone"),
    ("dem/shapes.h", "normal[k] = c * unit[k] - s * w->axis[k];", "normal[k] = c * unit[k] + s * w->axis[k];", "normal of a cone"),
    ("dem/site.c", "set_busy(s, pair_of(site, slot_of[c]));", "", "contacts with a mesh passed over"),
    ("dem/site.c", "set_busy(s, p);", "", "contacts with a mesh that never end"),
    ("dem/cull.c", "normal, lever) - c->radius", "normal, lever) + 4.0 * c->radius", "walls culled too early"),
    ("dem/cull.c", "c->of.largest + scree_wall_skin(w, c->of.pace)) * rounding", "0.9 * c->of.largest)", "walls culled within reach"),
    ("dem/cull.c", "within * rounding + c->of.radius, PATCH", "0.5 * within, PATCH", "triangles culled too early"),
    ("dem/mesh.c", "double bound = within + away;", "double bound = 0.5 * within;", "triangles of a cluster passed over"),
    ("dem/side.c", "choose(those, gap, side->gap)", "gap", "the last wall's gap for all"),
    ("dem/shapes.h", "choose(below(one, t), one, t)", "t", "rim of a pipe"),
    ("dem/shapes.h", "r0 = w->shape == SCREE_WALL_DISC ? w->radius2 :", "r0 = w->shape == SCREE_WALL_DISC ? 0.0 :", "hole of a disc"),
    ("dem/wall.c", "fmin(fmax(x[k], w->low[k]), w->high[k])", "fmax(x[k], w->low[k])", "far faces of a block"),
    ("dem/wall.c", "plane.axis[axis] = face % 2 ? -1.0 : 1.0;", "plane.axis[axis] = 1.0;", "far faces of a box"),
    ("dem/change.c", "l->taken += held.normal + held.tangential + held.rolling;", "l->taken += held.tangential + held.rolling;", "the squeezed contact's energy vanishes with the grain"),
    ("dem/change.c", "l->tangential -= held.tangential;", "", "what friction stored counts as lost and as taken out"),
    ("dem/change.c", "side = on == i ? -1.0 : 1.0", "side = on == i ? 1.0 : -1.0", "last push the wrong way"),
    ("dem/change.c", "scree_grain_energy(w, at) - scree_telescoped(w, at)", "scree_grain_energy(w, at)", "the scheme's own energy of a grain under load"),
    ("dem/change.c", "w->ledger.brought += scree_grain_energy(w, i);", "", "grains that come bring no energy"),
    ("dem/motion.c", "0.5 * r->m * (scree_dot(h.v, h.v) -", "0.25 * r->m * (scree_dot(h.v, h.v) -", "wrong factor"),
    ("dem/list.c", "moved[i] < 0 ? -1 : sorted[moved[i]]", "moved[i]", "contacts follow grains to where they were before sorting"),
    ("dem/flow.c", "s->brought.mass + 0.5 * mass <= due", "s->brought.mass + mass <= due", "a stream that is late by half a grain"),
    ("dem/flow.c", "fmin(w->time, d->until) - d->from", "w->time - d->from", "a stream that does not end"),
    ("dem/flow.c", "&& !(passed >> through & 1);", "&& false;", "what leaks counts as discharge"),
    ("dem/change.c", "ScreeStatus status = scree_openings_enter(w, before);", "ScreeStatus status = SCREE_OK;", "grains that come are not seen before they are missed"),
    ("dem/opening.c", "if (side < 0) p->through &= ~((uint64_t)1 << i);", "", "who came back in has passed for ever"),
    ("dem/opening.c", "to_own(&then, a, x)", "to_own(&body->frame, a, x)", "an opening that moves is where it is now, always"),
    ("dem/opening.c", "from[k] = to[k] - scree_image(w, k, to[k] - p->x[k]);", "from[k] = p->x[k];", "ways across a periodic side"),
    ("dem/opening.c", "&& (spoke < 0.0) == (volume(a, way, p, q) < 0.0))", ")", "beyond the line of an opening counts as in it"),
    ("dem/opening.c", "o.sign = scree_dot(o.across, d->towards) > 0.0 ? 1 : -1;", "o.sign = 1;", "an opening that is left the way its normal points"),
    ("dem/flow.c", "floor(thinnest / way)", "floor(8.0 * thinnest / way)", "a thin outlet is passed unseen"),
    ("dem/flow.c", "flow->mass += scree_grain_mass(w, w->record[at].r, w->turn[at].material);", "flow->mass += scree_grain_mass(w, w->max_radius, w->turn[at].material);", "an outlet weighs the largest grain"),
    ("dem/vicinity.c", "reach = 2.0 * w->max_radius * (1.0 + 1e-6)", "reach = w->max_radius", "grains that are too far to be looked at and still in the way"),
]

# faults of the engine that only scenes as a whole show: random scenes (test/scenes) must turn red, from a seed on that does at once.
# Kernels are not among these files: they are compiled for every instruction set, and the mutant for none of them.
SCENE_MUTANTS = [
    ("dem/contact.c", ": no_constant;", ": b->d;", "constants that are zero become the overlap", 253),
    ("dem/body.c", "if (any) renew_rates(b);", "", "a servo's power as it was predicted", 4),
    ("dem/body.c", "if (b->turns) scree_cross(b->frame.at, f, moved);", "", "torque on a wall that turns", 4),
    ("dem/body.c", "w->ledger.push += 0.5 * w->dt * (c->push + c->def.load) * c->u;", "w->ledger.push += 0.5 * w->dt * c->push * c->u;",
     "work of a servo's load", 6),
    ("dem/change.c", "l->taken += held.normal + held.tangential + held.rolling;", "l->taken += held.normal;",
     "what friction stored in contacts that are taken out", 155),
    ("dem/pairs.c", "KEPT(&b->fresh, i, at) == a ? 1.0 : -1.0", "1.0", "history of a pair whose roles change", 10),
    ("dem/flow.c", "qsort(*leaver, *count, sizeof **leaver, by_id);", "(void)by_id;", "grains leave as they lie in memory", 14),
    ("dem/motion.c", "s->gained += ", "s->gained -= ", "potential of a period", 311),
    ("dem/wall.c", "if (!(gap < best)) continue;", "continue;", "images of walls", 135),
]


def located(name):
    return name if "/" in name else "models/" + name


def engine(name):
    return name.startswith("dem/")


# where the oracle that is about a file of the engine is not the cheapest
FIRST = {"dem/opening.c": "openings", "dem/site.c": "meshes", "dem/mesh.c": "valleys of meshes", "dem/flow.c": "streams and outlets",
         "dem/vicinity.c": "streams and outlets", "dem/change.c": "streams and outlets", "dem/contact.c": "ledger's entries",
         "dem/engine.h": "streams and outlets", "dem/bulk.c": "streams and outlets", "dem/elsewhere.c": "threads",
         "dem/pass.c": "threads", "dem/early.c": "threads"}


def suites_for(name):
    """What the runner is asked for: the suite, and what comes first of it."""
    if engine(name):
        return ["dem.contact", *([FIRST[name]] if name in FIRST else [])]
    return ["scalar", name[:-len(".inl")]] if name.endswith(".inl") else ["scalar"]


def workplace_for(source, name):
    """A folder that stands for src/: the fault's own folder is a copy, the others are links."""
    workplace = tempfile.mkdtemp(prefix="scree-mutant-")
    own = os.path.dirname(located(name))
    for folder in os.scandir(os.path.join(source, "src")):
        if folder.name != own:
            os.symlink(folder.path, os.path.join(workplace, folder.name))
    shutil.copytree(os.path.join(source, "src", own), os.path.join(workplace, own))
    return workplace


def write_fault(workplace, mutant):
    """How often the text to be replaced stands in the file; once is right."""
    name, before, after, _ = mutant
    path = os.path.join(workplace, located(name))
    text = open(path, encoding="utf-8").read()
    open(path, "w", encoding="utf-8").write(text.replace(before, after))
    return text.count(before)


def includers(header, workplace):
    """The engine's translation units that include a header of its own, themselves or through others."""
    texts = {os.path.basename(path): open(path, encoding="utf-8").read() for path in glob.glob(os.path.join(workplace, "dem/*.[ch]"))}
    found, news = set(), {header}
    while news:
        found |= news
        news = {name for name, text in texts.items() if any(f'#include "{known}"' in text for known in found)} - found
    return ["dem/" + name for name in sorted(found) if name.endswith(".c")]


def units_of(name, workplace):
    """The translation units a fault in this file changes."""
    if name.endswith(".c"):
        return [located(name)]
    if engine(name):
        return includers(os.path.basename(name), workplace)
    return ["models/catalogue.c"]


def compile_and_link(source, build, mutant, workplace, compiler):
    """Builds the mutant's runner; returns its path or raises CalledProcessError. The laws' mutants run at -O0, compiling
    being most of their time; the engine's at -O1 and on the plainest instruction set, the one the runner then chooses.
    Nothing is inlined by force: the kernels would be compiled for every law of friction and kind of run apart, to the same bits."""
    flags = [*plain_flags(source, build, workplace), "-O1" if engine(mutant) else "-O0", "-Dalways_inline=unused"]
    objects = []
    for unit in units_of(mutant, workplace):
        objects.append(os.path.join(workplace, os.path.basename(unit) + ".o"))
        subprocess.run([compiler, *flags, "-c", os.path.join(workplace, unit), "-o", objects[-1]], check=True)
    runner = os.path.join(workplace, "runner")
    subprocess.run([compiler, runner_object(source, build, compiler), *objects, os.path.join(build, "libscree_verify.a"),
                    os.path.join(build, "libscree.a"), "-lm", "-lpthread", "-Wl,--strip-debug", "-o", runner], check=True)
    return runner


def plain_flags(source, build, folder):
    """Of everything that is compiled here."""
    plainest = "v2" if glob.glob(os.path.join(build, "CMakeFiles/scree_kernels_v2.dir")) else "generic"
    flags = ["-std=c17", "-fno-math-errno", "-ffp-contract=off", "-w", "-Wno-psabi", "-I" + folder, "-I" + source + "/include",
             "-I" + build + "/generated", "-DSCREE_ISA=" + plainest]
    return flags + ["-march=x86-64-v2", "-DSCREE_X86_LEVELS=1"] if plainest == "v2" else flags


@functools.lru_cache
def runner_object(source, build, compiler):
    """The runner, compiled once."""
    path = os.path.join(tempfile.mkdtemp(prefix="scree-mutant-"), "runner.o")
    atexit.register(shutil.rmtree, os.path.dirname(path))
    subprocess.run([compiler, *plain_flags(source, build, source + "/src"), "-c", os.path.join(source, "test/mutation/runner.c"), "-o",
                    path], check=True)
    return path


def link_libraries(build):
    """What the command is linked with, from the build's own rules."""
    rules = open(os.path.join(build, "build.ninja"), encoding="utf-8").read()
    rule = rules[rules.index("\nbuild scree: "):]
    return re.search(r"LINK_LIBRARIES = (.*)", rule).group(1).split()


def check_command(source, build, compiler):
    """The command itself, linked with one mutant: `scree verify` must print FAIL and exit with status 1."""
    name = MUTANTS[0][0]
    workplace = workplace_for(source, name)
    try:
        write_fault(workplace, MUTANTS[0])
        compile_and_link(source, build, name, workplace, compiler)
        command = os.path.join(workplace, "scree")
        objects = glob.glob(os.path.join(build, "CMakeFiles/scree.dir/cli/*.o"))
        subprocess.run([compiler, *objects, os.path.join(workplace, "catalogue.c.o"), *link_libraries(build), "-o", command],
                       check=True, cwd=build)
        result = subprocess.run([command, "verify", "reference"], capture_output=True, text=True, timeout=1800)
        return result.returncode == 1 and "FAIL" in result.stdout
    finally:
        shutil.rmtree(workplace)


def check_unharmed(source, build, compiler):
    """Without a fault the suites must pass: what fails by itself would catch every mutant."""
    for name in (MUTANTS[0][0], "dem/kernels.c"):
        workplace = workplace_for(source, name)
        try:
            runner = compile_and_link(source, build, name, workplace, compiler)
            result = subprocess.run([runner, *suites_for(name)], capture_output=True, text=True, timeout=1800)
        finally:
            shutil.rmtree(workplace)
        if result.returncode != 0:
            print(f"without a fault the verification of {name} ends with {result.returncode}: {result.stdout.strip()}")
            return False
    return True


def judge(arguments):
    source, build, compiler, mutant = arguments
    name = mutant[0]
    workplace = workplace_for(source, name)
    try:
        found = write_fault(workplace, mutant)
        if found != 1:
            return mutant, "stale", f"found {found} times"
        runner = compile_and_link(source, build, name, workplace, compiler)
        result = subprocess.run([runner, *suites_for(name)], capture_output=True, text=True, timeout=1800)
        if result.returncode == 1:
            return mutant, "caught", result.stdout.strip()
        return mutant, "survived", f"exit status {result.returncode}"
    except subprocess.TimeoutExpired:
        return mutant, "survived", "no verdict in time"
    finally:
        shutil.rmtree(workplace)


def judge_by_scenes(arguments):
    source, build, compiler, mutant = arguments
    name, seed = mutant[0], mutant[4]
    workplace = workplace_for(source, name)
    try:
        found = write_fault(workplace, mutant[:4])
        if found != 1:
            return mutant[:4], "stale", f"found {found} times"
        unit, scenes = os.path.join(workplace, "unit.o"), os.path.join(workplace, "random_scenes")
        subprocess.run([compiler, *plain_flags(source, build, workplace), "-O1", "-c", os.path.join(workplace, located(name)), "-o", unit],
                       check=True)
        objects = glob.glob(os.path.join(build, "test/CMakeFiles/random_scenes.dir/scenes/*.o"))
        subprocess.run([compiler, *objects, unit, os.path.join(build, "libscree.a"), "-lm", "-lpthread", "-o", scenes], check=True)
        result = subprocess.run([scenes, "--seed", str(seed), "--count", "400", "--first", "--folder", workplace], capture_output=True,
                                text=True, timeout=600)
        if result.returncode == 1:
            return mutant[:4], "caught", result.stdout.split(":")[0].strip()
        return mutant[:4], "survived", f"exit status {result.returncode}"
    except subprocess.TimeoutExpired:
        return mutant[:4], "survived", "no verdict in time"
    finally:
        shutil.rmtree(workplace)


def judge_any(arguments):
    return (judge_by_scenes if len(arguments[3]) == 5 else judge)(arguments)


def main():
    source, build = (os.path.abspath(path) for path in sys.argv[1:3])
    compiler = sys.argv[3] if len(sys.argv) > 3 else "cc"
    part = sys.argv[4] if len(sys.argv) > 4 else ""
    jobs = [(source, build, compiler, mutant) for mutant in MUTANTS + SCENE_MUTANTS if part in located(mutant[0])]
    caught = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        checks = [pool.submit(check, source, build, compiler) for check in (check_command, check_unharmed)]
        for (name, _, _, kind), verdict, how in pool.map(judge_any, jobs):
            caught += verdict == "caught"
            print(f"{verdict:9} {name}: {kind} ({how})", flush=True)
    red = all(check.result() for check in checks)
    print(f"the command {'exits with 1 and prints FAIL for a mutant only' if red else 'DOES NOT TELL MUTANTS APART'}")
    print(f"{caught} of {len(jobs)} faults caught")
    print(f"{caught + red} passed, {len(jobs) - caught + (not red)} failed")
    return 0 if red and caught == len(jobs) else 1


if __name__ == "__main__":
    sys.exit(main())
