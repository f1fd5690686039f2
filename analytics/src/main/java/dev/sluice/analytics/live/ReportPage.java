package dev.sluice.analytics.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * report.html: the page of a finished run in one file, with all that it shows, and tables that
 * stand without a script. It asks no other file or address for anything, and forbids itself to. The
 * same folder gives the same bytes.
 *
 * @param windows the run's seconds
 * @param batches batches as the page shows them
 */
public record ReportPage(List<MetricsWindow> windows, ObjectNode batches) {
  /** Most bars of a report's Gantt. */
  private static final int BARS_MAX = 800;

  /** The page of a run that has just ended; it can be made before the files of the run are. */
  public static ReportPage of(RunRows rows) {
    try {
      return of(RunSource.of(rows));
    } catch (UserMistakeException e) {
      throw new IllegalStateException("rows in memory cannot be read", e);
    }
  }

  private static ReportPage of(RunSource source) throws UserMistakeException {
    List<MetricsWindow> windows = FinishedWindows.of(source);
    return new ReportPage(windows, FinishedBatches.json(source, windows, BARS_MAX));
  }

  /** Writes report.html into a finished run's folder; if it cannot be written, there is none. */
  public static Path write(FinishedRun run) throws UserMistakeException, IOException {
    return of(RunSource.of(run)).writeOf(run);
  }

  /** As {@link #write(FinishedRun)}, of a run that has just ended and left all other files. */
  public void write(Path folder) throws IOException {
    try {
      writeOf(FinishedRun.of(folder));
    } catch (UserMistakeException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private Path writeOf(FinishedRun run) throws UserMistakeException, IOException {
    Run identity = Run.of(run);
    String page =
        page(
            identity.id(),
            Snapshot.ofReport(identity, windows, batches),
            ReportTables.of(identity, run.summary(), windows));
    Path file = run.folder().resolve(FolderFiles.REPORT);
    OutputFile.write(file, page.getBytes(UTF_8));
    return file;
  }

  private static String page(String id, String snapshot, String tables) {
    String uplot = Html.resource("uplot.iife.min.js");
    String script = Html.resource("page.js");
    Map<String, String> parts = new LinkedHashMap<>();
    parts.put(
        "<meta charset=\"utf-8\">",
        "<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\""
            + "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src '"
            + hash(uplot)
            + "' '"
            + hash(script)
            + "'\">");
    parts.put("<title>Sluice</title>", "<title>" + Html.escaped(id) + "</title>");
    parts.put("<link rel=\"stylesheet\" href=\"uplot.css\">", Html.style("uplot.min.css"));
    parts.put(
        "<link rel=\"stylesheet\" href=\"page.css\">",
        Html.style("page.css") + "\n" + Html.style("report.css"));
    parts.put("<div id=\"tables\"></div>", "<div id=\"tables\">\n" + tables + "</div>");
    parts.put("<script src=\"uplot.js\" defer></script>", "<script>" + uplot + "</script>");
    parts.put(
        "<script src=\"page.js\" defer></script>",
        "<script type=\"application/json\" id=\"snapshot\">"
            + snapshot.replace("<", "\\u003c")
            + "</script>\n<script>"
            + script
            + "</script>");
    String page = Html.resource("index.html");
    for (Map.Entry<String, String> part : parts.entrySet()) {
      page = replaced(page, part.getKey(), part.getValue());
    }
    return page;
  }

  /** What a page may run: the script with this text alone. */
  private static String hash(String script) {
    return "sha256-"
        + Base64.getEncoder().encodeToString(Sha256.begin().digest(script.getBytes(UTF_8)));
  }

  private static String replaced(String page, String what, String by) {
    int at = page.indexOf(what);
    if (at < 0 || page.indexOf(what, at + 1) >= 0) {
      throw new IllegalStateException("index.html must hold once: " + what);
    }
    return page.substring(0, at) + by + page.substring(at + what.length());
  }
}
