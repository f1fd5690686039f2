package dev.sluice.analytics.compare;

import dev.sluice.analytics.compare.Comparison.Line;
import dev.sluice.analytics.compare.LatencyCurves.Curve;
import dev.sluice.analytics.live.Html;
import dev.sluice.contract.file.OutputFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A comparison as one HTML file: the table, and the cumulative distributions of both settings over
 * each other. It asks no other file or address for anything, has no script, and forbids itself
 * both.
 */
public final class ComparisonPage {
  private static final String HEADING = "B beside A";

  private static final String BEGINNING =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          + "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src"
          + " 'unsafe-inline'\">\n"
          + "<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
          + HEADING
          + "</title>\n<style>\n";

  /** These pages, as files that a command writes. */
  public static final OutputFile.Kind KIND =
      OutputFile.Kind.madeAgain("page of a comparison", BEGINNING.getBytes(StandardCharsets.UTF_8));

  private ComparisonPage() {}

  /** Returns the page's text. */
  public static String of(ComparisonText text, ComparedJobs jobs) {
    var page = new Html();
    page.raw(BEGINNING).raw(style()).raw("</style>\n</head>\n<body>\n");
    page.raw("<main>\n<h1>" + HEADING + "</h1>\n");
    for (String remark : text.remarks()) {
      page.raw("<p class=\"remark\">").text(remark).raw("</p>\n");
    }
    page.raw("<dl>\n<dt><i class=\"a\"></i>A</dt><dd>").text(text.nameOfA()).raw("</dd>\n");
    page.raw("<dt><i class=\"b\"></i>B</dt><dd>").text(text.nameOfB()).raw("</dd>\n</dl>\n");
    table(page, text);
    curves(page, jobs);
    return page.raw("</main>\n</body>\n</html>\n").toString();
  }

  private static void table(Html page, ComparisonText text) {
    page.raw("<div class=\"scroll\"><table>\n<thead><tr>");
    text.headings().forEach(heading -> page.raw("<th scope=\"col\">").text(heading).raw("</th>"));
    page.raw("</tr></thead>\n<tbody>\n");
    for (Line line : text.comparison().lines()) {
      List<String> cells = text.cells(line);
      page.raw("<tr><th scope=\"row\">").text(cells.get(0)).raw("</th>");
      for (int i = 1; i < cells.size() - 1; i++) {
        page.element("td", cells.get(i));
      }
      page.raw("<td class=\"" + line.verdict().name().toLowerCase(Locale.ROOT) + "\">");
      page.text(cells.get(cells.size() - 1)).raw("</td></tr>\n");
    }
    page.raw("</tbody>\n</table></div>\n<p class=\"quiet\">")
        .text(text.explanation())
        .raw("</p>\n");
  }

  private static void curves(Html page, ComparedJobs jobs) {
    LatencyCurves a = jobs.a().curves();
    LatencyCurves b = jobs.b().curves();
    if (a == null || b == null) {
      page.raw("<p>").text("No curves: a run has no trace.csv.").raw("</p>\n");
      return;
    }
    for (Map.Entry<String, Curve> ofClass : a.byClass().entrySet()) {
      Curve curveA = ofClass.getValue();
      Curve curveB = b.byClass().getOrDefault(ofClass.getKey(), new Curve(new double[0], 0));
      page.raw("<h2>").text("Latency, " + ofClass.getKey()).raw("</h2>\n<p class=\"quiet\">");
      page.text("A: " + jobs(curveA) + "; B: " + jobs(curveB)).raw("</p>\n");
      if (curveA.doneMs().length + curveB.doneMs().length == 0) {
        page.raw("<p>").text("None done.").raw("</p>\n");
        continue;
      }
      page.raw("<div class=\"charts\">\n")
          .raw(CurveChart.of(curveA, curveB, false, "Share of jobs done within a time"))
          .raw(CurveChart.of(curveA, curveB, true, "Share of jobs not done within a time"))
          .raw("</div>\n");
    }
  }

  private static String jobs(Curve curve) {
    return "%d of %d jobs done".formatted(curve.doneMs().length, curve.count());
  }

  private static String style() {
    try (InputStream in = ComparisonPage.class.getResourceAsStream("comparison.css")) {
      if (in == null) {
        throw new IllegalStateException("this build has no comparison.css");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
