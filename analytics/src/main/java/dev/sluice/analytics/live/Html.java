package dev.sluice.analytics.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.file.OutputFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Text of a page, or of a part of one: whatever is not markup of this program is escaped. Nothing
 * that this makes asks another file or address for anything.
 */
public final class Html {
  /** Bytes of a page within which its title begins. */
  private static final int HEAD_BYTES = 512;

  private static final String NUMBER = "number";

  private final StringBuilder text = new StringBuilder();

  /**
   * A field of a table.
   *
   * @param kind name of its class in the style sheet; empty: none
   * @param value exact value for programs; null: the text is all that it has
   */
  public record TableCell(String kind, @Nullable String value, String text) {
    public static TableCell words(String text) {
      return new TableCell("", null, text);
    }

    /** A cell of words in the look of a class. */
    public static TableCell words(String kind, String text) {
      return new TableCell(kind, null, text);
    }

    /** A cell of a number, which stands to the right. */
    public static TableCell number(String text) {
      return new TableCell(NUMBER, null, text);
    }
  }

  /** Begins a page that has no script, and forbids itself all that is not in it. */
  public static Html page(String title) {
    return new Html()
        .raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';")
        .raw(" img-src data:; style-src 'unsafe-inline'\">\n")
        .raw("<meta name=\"viewport\" content=\"width=device-width\">\n")
        .element("title", title)
        .raw(style("document.css"))
        .raw("\n</head>\n<body>\n<main>\n");
  }

  /** Pages whose title begins with some words, as files that a command writes. */
  public static OutputFile.Kind kind(String noun, String title) {
    return new OutputFile.Kind(
        noun,
        false,
        file -> {
          try (InputStream in = Files.newInputStream(file)) {
            String head = new String(in.readNBytes(HEAD_BYTES), UTF_8);
            return head.startsWith("<!doctype html>") && head.contains("<title>" + title);
          }
        });
  }

  /** Ends a page that {@link #page} has begun. */
  public String end() {
    return raw("</main>\n</body>\n</html>\n").toString();
  }

  public Html raw(String markup) {
    text.append(markup);
    return this;
  }

  /** Adds text, escaped. */
  public Html text(@Nullable String plain) {
    text.append(escaped(plain == null ? "" : plain));
    return this;
  }

  /** Adds an element without attributes that holds text. */
  public Html element(String tag, @Nullable String plain) {
    return raw("<" + tag + ">").text(plain).raw("</" + tag + ">\n");
  }

  /** Adds a paragraph in the look of a class of the style sheet. */
  public Html paragraph(String kind, String plain) {
    return raw("<p class=\"" + kind + "\">").text(plain).raw("</p>\n");
  }

  public Html list(List<String> items) {
    raw("<ul>");
    items.forEach(item -> raw("<li>").text(item).raw("</li>"));
    return raw("</ul>\n");
  }

  /** Adds a picture; the words stand where it cannot be seen. */
  public Html picture(String words, byte[] png) {
    return raw("<p><img alt=\"")
        .text(words)
        .raw("\" src=\"data:image/png;base64,")
        .raw(Base64.getEncoder().encodeToString(png))
        .raw("\"></p>\n");
  }

  /** Adds a table of which the first cell of each row is the row's name. */
  public Html table(List<String> headings, List<List<TableCell>> rows) {
    return raw("<div class=\"scroll\"><table>\n").rows(headings, rows);
  }

  /** As {@link #table(List, List)}, with a title in the table. */
  public Html table(String title, List<String> headings, List<List<TableCell>> rows) {
    return raw("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"")
        .text(title)
        .raw("\"><table><caption>")
        .text(title)
        .raw("</caption>\n")
        .rows(headings, rows);
  }

  private Html rows(List<String> headings, List<List<TableCell>> rows) {
    raw("<thead><tr>");
    for (int i = 0; i < headings.size(); i++) {
      boolean ofNumbers = !rows.isEmpty() && rows.get(0).get(i).kind().equals(NUMBER);
      raw(ofNumbers ? "<th scope=\"col\" class=\"number\">" : "<th scope=\"col\">");
      text(headings.get(i)).raw("</th>");
    }
    raw("</tr></thead>\n<tbody>\n");
    for (List<TableCell> row : rows) {
      raw("<tr><th scope=\"row\">").text(row.get(0).text()).raw("</th>");
      row.subList(1, row.size()).forEach(this::cell);
      raw("</tr>\n");
    }
    return raw("</tbody></table></div>\n");
  }

  private void cell(TableCell cell) {
    raw("<td");
    if (!cell.kind().isEmpty()) {
      raw(" class=\"" + cell.kind() + "\"");
    }
    if (cell.value() != null) {
      raw(" data-value=\"").text(cell.value()).raw("\"");
    }
    raw(">").text(cell.text()).raw("</td>");
  }

  static String escaped(String plain) {
    var escaped = new StringBuilder(plain.length() + 16);
    for (int i = 0; i < plain.length(); i++) {
      char c = plain.charAt(i);
      switch (c) {
        case '&' -> escaped.append("&amp;");
        case '<' -> escaped.append("&lt;");
        case '>' -> escaped.append("&gt;");
        case '"' -> escaped.append("&quot;");
        case '\'' -> escaped.append("&#39;");
        default -> escaped.append(c < ' ' && c != '\n' && c != '\t' ? '\uFFFD' : c);
      }
    }
    return escaped.toString();
  }

  /** A style sheet of this build, as markup. */
  static String style(String name) {
    return "<style>\n" + resource(name) + "</style>";
  }

  /** The text of a file of pages. */
  static String resource(String name) {
    try (InputStream in = Html.class.getResourceAsStream("page/" + name)) {
      if (in == null) {
        throw new IllegalStateException("this build has no page/" + name);
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
