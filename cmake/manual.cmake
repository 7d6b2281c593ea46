# Pages of the manual and completion for shells, printed by the program itself; not where it cannot run. An emulator runs it for another machine.
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "Cross-compiling: no pages of the manual, no completion for shells")
  return()
endif()
set(manual ${CMAKE_CURRENT_BINARY_DIR}/manual)
add_custom_command(
  OUTPUT ${manual}/stamp
  COMMAND ${CMAKE_COMMAND} "-DPROGRAM=${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:shoal_cli>" -DOUT=${manual}
          -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/write_manual.cmake
  DEPENDS shoal_cli cmake/write_manual.cmake
  VERBATIM)
add_custom_target(shoal_manual ALL DEPENDS ${manual}/stamp)
install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${manual}/bash/shoal DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${manual}/zsh/_shoal DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${manual}/fish/shoal.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
