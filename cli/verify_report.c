/* verify_report.c: see verify_report.h. */
#include "cli.h"

#include "figures.h"
#include "output.h"
#include "verify_report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char style[] =
    ":root{color-scheme:light dark;--line:#8884;--soft:#8881;--good:#00704a;--bad:#b3261e}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}"
    "h1{margin:0}h2{margin:2.5rem 0 .5rem}table{border-collapse:collapse;width:100%;font-size:.9rem}"
    "th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    "td.at{color:#888;overflow-wrap:anywhere}details{margin:.3rem 0}summary{cursor:pointer}"
    ".pass{color:var(--good)}.fail{color:var(--bad);font-weight:bold}"
    "figure{margin:1.5rem 0}figure svg{max-width:100%;height:auto;background:#fff}figcaption{font-size:.9rem}"
    "@media(prefers-color-scheme:dark){:root{--good:#5fd3a8;--bad:#ff8a80}}";

static void write_escaped(FILE *f, const char *text) {
  for (; *text; text++) switch (*text) {
    case '<': fputs("&lt;", f); break;
    case '>': fputs("&gt;", f); break;
    case '&': fputs("&amp;", f); break;
    default: fputc(*text, f);
    }
}

static void write_row(FILE *f, const VerifyCheck *own) {
  const ScreeCheck *c = &own->check;
  fputs("<tr><td>", f);
  write_escaped(f, *own->subject ? own->subject : "all");
  fprintf(f, "</td><td class=n>%d</td><td class=n>%.2g</td><td class=n>%.2g</td><td class=%s>%s</td><td class=at>",
          c->cases, c->worst, c->limit, c->passed ? "pass" : "fail", c->passed ? "pass" : "FAIL");
  write_escaped(f, c->at);
  fputs("</td></tr>\n", f);
}

static const char heading[] =
    "<tr><th>subject<th class=n>cases<th class=n>worst<th class=n>limit<th><th>worst case</tr>\n";

/* One oracle: what it shows, its worst row, and all rows folded away (open when one fails). */
static void write_oracle(FILE *f, const VerifyChecks *all, int first, int end) {
  int failed = 0;
  for (int i = first; i < end; i++) failed += !all->check[i].check.passed;
  const ScreeCheck *c = &all->check[first].check;
  fprintf(f, "<h3>%s <span class=%s>%s</span></h3><p>", c->oracle, failed ? "fail" : "pass", failed ? "FAIL" : "pass");
  write_escaped(f, c->shows);
  fputs(".</p>\n<table>", f);
  fputs(heading, f);
  write_row(f, &all->check[verify_worst(all, first, end)]);
  fputs("</table>\n", f);
  if (end - first < 2) return;
  fprintf(f, "<details%s><summary>all %d</summary><table>", failed ? " open" : "", end - first);
  fputs(heading, f);
  for (int i = first; i < end; i++) write_row(f, &all->check[i]);
  fputs("</table></details>\n", f);
}

static void write_checks(FILE *f, const VerifyChecks *all) {
  const char *suite = "";
  for (int i = 0; i < all->count;) {
    int end = verify_oracle_end(all, i);
    if (strcmp(suite, all->check[i].check.suite) != 0) {
      suite = all->check[i].check.suite;
      fprintf(f, "<h2>Suite %s</h2>\n", suite);
    }
    write_oracle(f, all, i, end);
    i = end;
  }
}

/* The drawing of an SVG file without its XML prologue. Ids are unique per file only: each gets the figure's name. */
static bool copy_drawing(FILE *out, const char *path, const char *id) {
  FILE *in = fopen(path, "r");
  if (!in) return false;
  char *line = NULL;
  size_t size = 0;
  bool inside = false;
  while (checked_line(&line, &size, in)) {
    char *start = strstr(line, "<svg");
    if (start) inside = true;
    if (!inside) continue;
    for (const char *at = start ? start : line; *at; at++) {
      bool names = strncmp(at, "id=", 3) == 0 || strncmp(at, "xlink:href=", 11) == 0 || strncmp(at, "url(#", 5) == 0;
      if (!names) {
        fputc(*at, out);
        continue;
      }
      /* id="x", xlink:href="#x" or '#x', url(#x): the prefix goes before the name */
      while (*at && *at != '"' && *at != '\'' && *at != '#') fputc(*at++, out);
      if (*at == '"' || *at == '\'') fputc(*at++, out);
      if (*at == '#') fputc(*at++, out);
      fprintf(out, "%s-", id);
      at--;
    }
  }
  free(line);
  fclose(in);
  return inside;
}

/* Draws into a temporary folder, inlines, removes. Stops at the first figure that gnuplot cannot draw. */
static void write_figures(FILE *f, const char *verb) {
  char folder[] = "/tmp/scree-report-XXXXXX";
  if (!mkdtemp(folder)) return;
  fputs("<h2>Figures</h2>\n", f);
  bool drawing = true;
  for (int i = 0; drawing && i < figure_count(); i++) {
    const FigureInfo *info = figure_info(i);
    char *stem = checked_format("%s/%s", folder, info->id), *path = checked_format("%s.svg", stem);
    drawing = figure_draw(verb, i, path) == EXIT_DONE;
    if (drawing) {
      fprintf(f, "<figure id=%s>", info->id);
      copy_drawing(f, path, info->id);
      fprintf(f, "<figcaption><b>%s.</b> ", info->title);
      write_escaped(f, info->caption);
      fputs("</figcaption></figure>\n", f);
    }
    static const char *const leavings[] = {".svg", ".gp", ".csv"};
    for (size_t k = 0; k < sizeof leavings / sizeof *leavings; k++) {
      char *file = checked_format("%s%s", stem, leavings[k]);
      unlink(file);
      free(file);
    }
    free(stem);
    free(path);
  }
  rmdir(folder);
  if (!drawing) fputs("<p>The figures are left out: gnuplot did not draw them.</p>\n", f);
}

int verify_write_report(const char *verb, const char *path, const VerifyChecks *all, double seconds) {
  OutputFile file;
  if (!output_open(&file, verb, path)) return EXIT_FAILED;
  FILE *f = file.stream;
  char date[32];
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  fprintf(f,
          "<!doctype html><html lang=en><meta charset=utf-8><title>scree %s: verification</title>"
          "<meta name=viewport content='width=device-width'><style>%s</style>\n",
          scree_version(), style);
  fprintf(f, "<h1>scree %s: verification</h1><p>%s; kernels %s; %.1f s.</p>\n", scree_version(), date,
          scree_batch_isa(), seconds);
  fprintf(f, "<p class=%s>%d checks: %d passed, %d failed.</p>\n", all->failed ? "fail" : "pass", all->count,
          all->count - all->failed, all->failed);
  fputs("<p>An oracle measures a residual over many cases of a subject and holds the worst of them against a limit. "
        "Residuals are relative, energies in units of the initial energy; claims of the catalogue count 1 at their "
        "limit.</p>\n",
        f);
  write_checks(f, all);
  write_figures(f, verb);
  fputs("</html>\n", f);
  return output_commit(&file, verb) ? EXIT_DONE : EXIT_FAILED;
}
