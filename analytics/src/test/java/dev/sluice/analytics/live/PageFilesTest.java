package dev.sluice.analytics.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** The page's files as they are shipped: how large they are, what they leave out, and uPlot. */
final class PageFilesTest {
  private static final List<String> FILES =
      List.of("index.html", "page.js", "page.css", "uplot.iife.min.js", "uplot.min.css");

  private static byte[] file(String name) throws IOException {
    try (InputStream file = Points.class.getResourceAsStream("page/" + name)) {
      assertThat(file).as(name).isNotNull();
      return file.readAllBytes();
    }
  }

  private static String text(String name) throws IOException {
    return new String(file(name), UTF_8);
  }

  private static int compressed(String name) throws IOException {
    var bytes = new ByteArrayOutputStream();
    var best =
        new GZIPOutputStream(bytes) {
          {
            def.setLevel(Deflater.BEST_COMPRESSION);
          }
        };
    try (best) {
      best.write(file(name));
    }
    return bytes.size();
  }

  @Test
  void areSmall() throws IOException {
    int size = 0;
    int compressed = 0;
    for (String name : FILES) {
      size += file(name).length;
      compressed += compressed(name);
    }
    assertThat(size).as("bytes of the page").isLessThanOrEqualTo(120 * 1024);
    assertThat(compressed).as("compressed bytes").isLessThanOrEqualTo(45 * 1024);
  }

  @Test
  void holdUPlotUnchanged_besideItsLicence() throws Exception {
    assertThat(sha256("uplot.iife.min.js"))
        .isEqualTo("19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f");
    assertThat(sha256("uplot.min.css"))
        .isEqualTo("df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04");
    assertThat(text("uplot.LICENSE")).startsWith("The MIT License (MIT)");
  }

  private static String sha256(String name) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(file(name)));
  }

  @Test
  void needNoInlineCodeAndNoOtherAddress_andSetTextsAsText() throws IOException {
    assertThat(text("index.html"))
        .doesNotContainPattern("<script(?! src=)")
        .doesNotContainPattern("(?i)\\s(style|on[a-z]+)=")
        .doesNotContain("<style", "http:", "https:");
    assertThat(text("page.css")).doesNotContain("url(", "@import", "http");
    assertThat(text("page.js"))
        .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")
        .doesNotContain("</script", "https:");
  }
}
