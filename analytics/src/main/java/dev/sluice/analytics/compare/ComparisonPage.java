package dev.sluice.analytics.compare;

import dev.sluice.analytics.compare.ComparedJobs.Curve;
import dev.sluice.analytics.compare.Comparison.Line;
import dev.sluice.analytics.live.Html;
import dev.sluice.analytics.live.Html.TableCell;
import dev.sluice.analytics.plot.LatencyCdf;
import dev.sluice.analytics.plot.Picture;
import dev.sluice.analytics.plot.PictureFrame;
import dev.sluice.contract.file.OutputFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A comparison as one HTML file: the table, and the cumulative distributions of both settings over
 * each other.
 */
public final class ComparisonPage {
  private static final String HEADING = "B beside A";

  public static final OutputFile.Kind KIND = Html.kind("page of a comparison", HEADING);

  private ComparisonPage() {}

  public static String of(ComparisonText text, ComparedJobs jobs) {
    Html page = Html.page(HEADING).element("h1", HEADING);
    text.remarks().forEach(remark -> page.paragraph("remark", remark));
    page.raw("<dl>\n<dt>A</dt><dd>").text(text.nameOfA()).raw("</dd>\n");
    page.raw("<dt>B</dt><dd>").text(text.nameOfB()).raw("</dd>\n</dl>\n");
    List<List<TableCell>> rows =
        text.comparison().lines().stream().map(line -> row(text, line)).toList();
    page.table(text.headings(), rows).paragraph("quiet", text.explanation());
    curves(page, jobs);
    return page.end();
  }

  private static List<TableCell> row(ComparisonText text, Line line) {
    List<String> cells = text.cells(line);
    int last = cells.size() - 1;
    List<TableCell> row = new ArrayList<>(List.of(TableCell.words(cells.get(0))));
    cells.subList(1, last).forEach(cell -> row.add(TableCell.number(cell)));
    row.add(TableCell.words(line.verdict().name().toLowerCase(Locale.ROOT), cells.get(last)));
    return row;
  }

  private static void curves(Html page, ComparedJobs jobs) {
    Map<String, Curve> a = jobs.a().curves();
    Map<String, Curve> b = jobs.b().curves();
    if (a == null || b == null) {
      page.element("p", "No curves: a run has no trace.csv.");
      return;
    }
    a.forEach((name, curve) -> curves(page, name, curve, b.getOrDefault(name, new Curve())));
  }

  private static void curves(Html page, String name, Curve a, Curve b) {
    page.element("h2", "Latency, " + name).paragraph("quiet", "A: " + jobs(a) + "; B: " + jobs(b));
    new LatencyCdf(new PictureFrame("Latency, " + name))
        .add("A", 0, a.doneNs, a.count)
        .add("B", 1, b.doneNs, b.count)
        .image()
        .ifPresentOrElse(
            image ->
                page.picture(
                    "Share of jobs done within a time, and the share that was not",
                    Picture.png(image)),
            () -> page.element("p", "None done."));
  }

  private static String jobs(Curve curve) {
    return "%d of %d jobs done".formatted(curve.doneNs.size(), curve.count);
  }
}
