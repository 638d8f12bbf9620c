# What people read, made from the command itself: the man pages (target `man`, with help2man) and the HTML manual (target
# `docs`, with cmark-gfm). Without those programs the rest builds and installs as ever.
find_program(HELP2MAN help2man)
find_program(CMARK_GFM cmark-gfm)
set(docs_dir ${PROJECT_BINARY_DIR}/docs)

if(HELP2MAN)
  add_custom_command(OUTPUT ${docs_dir}/man/scree.1
                     COMMAND ${PROJECT_SOURCE_DIR}/tools/build-man.sh $<TARGET_FILE:scree> ${docs_dir}/man
                     DEPENDS scree tools/build-man.sh VERBATIM)
  add_custom_target(man ALL DEPENDS ${docs_dir}/man/scree.1)
  set(docs_man ${docs_dir}/man/scree.1)
else()
  add_custom_target(man COMMENT "no man pages: help2man is not installed")
endif()

if(CMARK_GFM)
  file(GLOB docs_sources CONFIGURE_DEPENDS docs/*)
  add_custom_command(OUTPUT ${docs_dir}/html/index.html
                     COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tools/build-docs.py $<TARGET_FILE:scree>
                             ${PROJECT_SOURCE_DIR}/docs ${docs_dir}
                     DEPENDS scree tools/build-docs.py ${docs_sources} ${docs_man} VERBATIM)
  add_custom_target(docs DEPENDS ${docs_dir}/html/index.html)
else()
  add_custom_target(docs COMMENT "no HTML manual: cmark-gfm is not installed")
endif()

# Whatever of it has been built is installed.
install(DIRECTORY ${docs_dir}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL FILES_MATCHING PATTERN *.1)
install(DIRECTORY ${docs_dir}/html DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES completion/scree.bash RENAME scree DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completion/_scree DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
