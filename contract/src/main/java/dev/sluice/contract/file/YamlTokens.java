package dev.sluice.contract.file;

import dev.sluice.contract.file.Tree.Kind;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.util.Iterator;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.Event.ID;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.reader.UnicodeReader;

/**
 * Pieces of a YAML text of one document, from SnakeYAML's events: these carry the line of each key
 * and value, and show a key that stands twice. Jackson's binding to records does neither.
 */
final class YamlTokens extends Tokens {
  private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");

  private final Reader in;
  private final Iterator<Event> events;
  private @Nullable Event present;
  private boolean began;

  YamlTokens(InputStream in, IntFunction<Place> placeOfLine) {
    this(new UnicodeReader(in), placeOfLine);
  }

  YamlTokens(String text, IntFunction<Place> placeOfLine) {
    this(new StringReader(text), placeOfLine);
  }

  private YamlTokens(Reader in, IntFunction<Place> placeOfLine) {
    super(placeOfLine);
    this.in = new PrintableReader(in);
    var options = new LoaderOptions();
    options.setCodePointLimit(Integer.MAX_VALUE);
    this.events = new Yaml(options).parse(this.in).iterator();
  }

  @Override
  Kind next() throws UserMistakeException {
    try {
      while (events.hasNext()) {
        Event event = events.next();
        present = event;
        if (event.is(ID.DocumentStart)) {
          beginDocument();
        }
        Kind kind = kindOf(event);
        if (kind != null) {
          return kind;
        }
      }
      return Kind.END_OF_FILE;
    } catch (MarkedYAMLException e) {
      Mark mark = e.getProblemMark();
      String snippet = mark == null ? null : mark.get_snippet();
      throw malformed(
          place(mark == null ? 0 : mark.getLine() + 1),
          "YAML",
          e.getProblem(),
          snippet != null && snippet.contains("\t")
              ? "the tab on that line should be spaces"
              : WRONG_MARK,
          e);
    } catch (NumberFormatException e) { // SnakeYAML's own, where the file ends within an escape
      throw malformed(
          place(Math.max(1, line())),
          "YAML",
          "an escape is cut short",
          "a backslash should be left out, or four digits should follow \\u",
          e);
    } catch (YAMLException e) {
      if (e.getCause() instanceof PrintableReader.UnprintableException unprintable) {
        throw malformed(
            place(unprintable.line),
            "YAML",
            unprintable.getMessage(),
            "it was pasted there, or the file is no text at all",
            e);
      }
      throw e.getCause() instanceof IOException io
          ? unreadable(place(0), io)
          : malformed(place(Math.max(1, line())), "YAML", e.getMessage(), WRONG_MARK, e);
    }
  }

  private void beginDocument() throws UserMistakeException {
    if (began) {
      throw new UserMistakeException(
          place(), "this is not YAML (a second document begins here)", "--- should be left out");
    }
    began = true;
  }

  /** Null: the event is of the document, not of a value. */
  private static @Nullable Kind kindOf(Event event) {
    return switch (event.getEventId()) {
      case MappingStart -> Kind.MAPPING;
      case MappingEnd -> Kind.END_OF_MAPPING;
      case SequenceStart -> Kind.LIST;
      case SequenceEnd -> Kind.END_OF_LIST;
      case Scalar -> Kind.SCALAR;
      case Alias -> Kind.ALIAS;
      default -> null;
    };
  }

  @Override
  int line() {
    return present == null ? 0 : present.getStartMark().getLine() + 1;
  }

  @Override
  String text() {
    if (present instanceof ScalarEvent scalar) {
      return scalar.getValue();
    }
    return present instanceof AliasEvent alias ? alias.getAnchor() : "";
  }

  @Override
  boolean isQuoted() {
    return present instanceof ScalarEvent scalar && scalar.getScalarStyle() != ScalarStyle.PLAIN;
  }

  @Override
  boolean isMissing() {
    return present instanceof ScalarEvent scalar
        && !isQuoted()
        && (scalar.getTag() == null
            ? NULLS.contains(scalar.getValue())
            : scalar.getTag().equals(Tag.NULL.getValue()));
  }

  @Override
  @Nullable String anchor() {
    return present instanceof NodeEvent node ? node.getAnchor() : null;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  /**
   * Letters of a YAML text. YAML allows no control characters but tabs and line ends, and its
   * parser tells no line of theirs; this reader does.
   */
  private static final class PrintableReader extends FilterReader {
    private int line = 1;
    private char high;
    private char before;

    /** A letter that YAML does not allow. */
    static final class UnprintableException extends IOException {
      /** The line, from 1. */
      final int line;

      UnprintableException(int line, int letter) {
        super("the character U+%04X is not allowed".formatted(letter));
        this.line = line;
      }
    }

    PrintableReader(Reader in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int letter = super.read();
      if (letter >= 0) {
        check((char) letter);
      }
      return letter;
    }

    @Override
    public int read(char[] letters, int offset, int length) throws IOException {
      int read = super.read(letters, offset, length);
      for (int i = offset; i < offset + read; i++) {
        check(letters[i]);
      }
      return read;
    }

    private void check(char letter) throws IOException {
      if (high != 0) {
        int pair = Character.toCodePoint(high, letter);
        if (!Character.isLowSurrogate(letter) || !StreamReader.isPrintable(pair)) {
          throw new UnprintableException(line, high);
        }
        high = 0;
      } else if (Character.isHighSurrogate(letter)) {
        high = letter;
      } else if (letter == '\n' || letter == '\r') {
        line += letter == '\n' && before == '\r' ? 0 : 1;
      } else if (!StreamReader.isPrintable(letter)) {
        throw new UnprintableException(line, letter);
      }
      before = letter;
    }
  }
}
