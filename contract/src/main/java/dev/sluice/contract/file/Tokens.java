package dev.sluice.contract.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.sluice.contract.file.Tree.Kind;
import java.io.BufferedInputStream;
import java.io.CharConversionException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
 * The pieces of a file, one after the other. A mapping's keys come as {@link Kind#SCALAR}, each
 * followed by its value.
 */
abstract class Tokens implements Closeable {
  /** Line on which the present piece begins, from 1; 0: there was none yet. */
  int line;

  /** Whether the present scalar can only be a text, not a number. */
  boolean quoted;

  /** Whether the present scalar is null. */
  boolean missing;

  /** Name by which an alias may repeat the present piece; null: none. */
  @Nullable String anchor;

  private final IntFunction<Place> placeOfLine;

  /**
   * @param placeOfLine the place of a line, counted from 1; of line 0 the whole file
   */
  Tokens(IntFunction<Place> placeOfLine) {
    this.placeOfLine = placeOfLine;
  }

  /** Opens a file, as {@link Tree#open} says. */
  static Tokens of(Path file, String neighbour) throws UserMistakeException {
    String source = file.toString();
    if (Files.isDirectory(file)) {
      throw new UserMistakeException(
          source, "this is a folder, not a file", "one of its files was meant");
    }
    try {
      var in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
      refuseOther(source, in);
      IntFunction<Place> placeOfLine = line -> new Place(source, line);
      return source.endsWith(".json")
          ? new JsonTokens(in, placeOfLine)
          : new YamlTokens(new UnicodeReader(in), placeOfLine);
    } catch (NoSuchFileException e) {
      throw new UserMistakeException(source, "the file does not exist", neighbour, e);
    } catch (IOException e) {
      throw unreadable(new Place(source, 0), e);
    }
  }

  private static void refuseOther(String source, InputStream in)
      throws IOException, UserMistakeException {
    try {
      Utf8.refuseOther(source, in);
    } catch (IOException | UserMistakeException e) {
      in.close();
      throw e;
    }
  }

  /** Goes on to the next piece. */
  abstract Kind next() throws UserMistakeException;

  /** The text of the present scalar, or the name of the present alias. */
  abstract String text() throws UserMistakeException;

  final Place place(int line) {
    return placeOfLine.apply(line);
  }

  static UserMistakeException unreadable(Place whole, IOException e) {
    if (e instanceof CharConversionException || e instanceof CharacterCodingException) {
      return Utf8.mistake(Path.of(whole.source()), e);
    }
    return UserMistakeException.unreadable(whole.toString(), e);
  }

  static UserMistakeException malformed(
      Place place, String format, @Nullable String reason, String maybe, Exception cause) {
    return new UserMistakeException(
        place.toString(), "this is not %s (%s)".formatted(format, oneLine(reason)), maybe, cause);
  }

  static final String WRONG_MARK =
      "a colon, a quote, a bracket or an indentation is wrong on that line or just above";

  private static String oneLine(@Nullable String text) {
    return text == null ? "no reason given" : text.strip().replaceAll("\\s*\\R\\s*", "; ");
  }

  static final class JsonTokens extends Tokens {
    private static final JsonFactory FACTORY =
        JsonFactory.builder()
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS) // so that messages can name them
            .build();

    private final JsonParser parser;

    JsonTokens(InputStream in, IntFunction<Place> placeOfLine) throws IOException {
      super(placeOfLine);
      this.parser = FACTORY.createParser(in);
    }

    @Override
    Kind next() throws UserMistakeException {
      try {
        JsonToken token = parser.nextToken();
        line = parser.currentTokenLocation().getLineNr();
        quoted = token == JsonToken.VALUE_STRING;
        missing = token == JsonToken.VALUE_NULL;
        if (token == null) {
          return Kind.END_OF_FILE;
        }
        return switch (token) {
          case START_OBJECT -> Kind.MAPPING;
          case END_OBJECT -> Kind.END_OF_MAPPING;
          case START_ARRAY -> Kind.LIST;
          case END_ARRAY -> Kind.END_OF_LIST;
          default -> Kind.SCALAR;
        };
      } catch (IOException e) {
        throw mistake(e);
      }
    }

    /** Jackson decodes a string only here: this is where a bad escape or raw line break shows. */
    @Override
    String text() throws UserMistakeException {
      try {
        return parser.getText();
      } catch (IOException e) {
        throw mistake(e);
      }
    }

    private UserMistakeException mistake(IOException e) {
      if (e instanceof JsonProcessingException malformed) {
        int at = malformed.getLocation() == null ? 0 : malformed.getLocation().getLineNr();
        return malformed(place(at), "JSON", UserMistakeException.reason(e), WRONG_MARK, e);
      }
      return unreadable(place(0), e);
    }

    @Override
    public void close() throws IOException {
      parser.close(); // and the stream below it
    }
  }

  /**
   * Pieces of a YAML text of one document, from SnakeYAML's events: these carry the line of each
   * key and value, and show a key that stands twice. Jackson's binding to records does neither.
   */
  static final class YamlTokens extends Tokens {
    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");

    private final Reader in;
    private final Iterator<Event> events;
    private String text = "";
    private boolean began;

    YamlTokens(Reader in, IntFunction<Place> placeOfLine) {
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
          begin(event);
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
            place(Math.max(1, line)),
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
            : malformed(place(Math.max(1, line)), "YAML", e.getMessage(), WRONG_MARK, e);
      }
    }

    private void beginDocument() throws UserMistakeException {
      if (began) {
        throw new UserMistakeException(
            place(line),
            "this is not YAML (a second document begins here)",
            "--- should be left out");
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

    private void begin(Event event) {
      line = event.getStartMark().getLine() + 1;
      anchor = event instanceof NodeEvent node ? node.getAnchor() : null;
      quoted = false;
      missing = false;
      text = event instanceof AliasEvent alias ? alias.getAnchor() : "";
      if (event instanceof ScalarEvent scalar) {
        text = scalar.getValue();
        quoted = scalar.getScalarStyle() != ScalarStyle.PLAIN;
        String tag = scalar.getTag();
        missing = !quoted && (tag == null ? NULLS.contains(text) : tag.equals(Tag.NULL.getValue()));
      }
    }

    @Override
    String text() {
      return text;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }

    /**
     * Letters of a YAML text. YAML allows no control characters but tabs and line ends, and its
     * parser tells no line of theirs; this reader does.
     */
    private static final class PrintableReader extends Reader {
      private final Reader in;
      private int line = 1;
      private char high;
      private char before;

      /** A letter that YAML does not allow. */
      static final class UnprintableException extends IOException {
        final int line;

        UnprintableException(int line, int letter) {
          super("the character U+%04X is not allowed".formatted(letter));
          this.line = line;
        }
      }

      PrintableReader(Reader in) {
        this.in = in;
      }

      @Override
      public int read(char[] letters, int offset, int length) throws IOException {
        int read = in.read(letters, offset, length);
        for (int i = offset; i < offset + read; i++) {
          check(letters[i]);
        }
        return read;
      }

      @Override
      public void close() throws IOException {
        in.close();
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
}
